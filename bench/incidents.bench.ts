import { execFileSync } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startHub } from '../apps/hub/src/testing/start-hub.ts'
import { Investigator } from './incidents/investigator.ts'
import { planted } from './incidents/planted/index.ts'
import { inventoryOf, recordIncident } from './incidents/record-incident.ts'
import { printScores, type Score, scoreOf } from './incidents/score.ts'

/*
 * Planted incidents: real servers and clients in a network namespace, recorded, dissected, and investigated over MCP by a
 * script that follows the advice of the answers. Arguments choose by part of the name. As root, with tcpdump and nft.
 * TAPDECK_BENCH_FOLDER keeps the captures there, and reads those that it has. TAPDECK_BENCH_VERBOSE=1 prints all findings.
 */
const wanted = process.argv.slice(2)
const chosen = planted.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
if (chosen.length === 0) {
  console.log(
    `No incident matches ${wanted.join(' ')}. There are: ${planted.map(({ name }) => name).join(' ')}`,
  )
  process.exit(1)
}
const root = join(import.meta.dirname, '../..')
execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), 'hub-dissection', 'hub-shard'], {
  stdio: 'ignore',
})
const kept = process.env.TAPDECK_BENCH_FOLDER
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
const captures = kept ?? folder
mkdirSync(captures, { recursive: true })
const hub = await startHub({
  folder: join(folder, 'hub'),
  thread: pathToFileURL(join(root, 'dist/hub-dissection.mjs')),
})
const investigator = await Investigator.connect(await hub.open())
const scores: Score[] = []
try {
  for (const incident of chosen) {
    const { name } = incident
    const file = join(captures, `${name}.pcap`)
    if (!existsSync(file)) await recordIncident(incident, file)
    const names = join(captures, `${name}.json`)
    writeFileSync(names, JSON.stringify(inventoryOf(incident)))
    await send(`/api/snapshots/${name}/import?node=node-1&more=true`, file)
    await send(`/api/snapshots/${name}/import?kind=inventory&append=true`, names)
    await dissect(name)
    const found = await investigator.investigate(`${name}/all`)
    if (process.env.TAPDECK_BENCH_VERBOSE)
      for (const one of found.accusations)
        console.log(
          `  ${one.rank} ${one.kind} ${one.severity} ${one.score} ${one.what}${one.explained_by === undefined ? '' : ` (explained by ${one.explained_by})`}`,
        )
    scores.push(scoreOf(incident, found))
    console.log(`${name}: ${JSON.stringify(scores.at(-1))}`)
  }
} catch (error) {
  // What the hub logged last says why.
  console.log(hub.logged.slice(-3).join(''))
  throw error
} finally {
  await investigator.close()
  await hub.stop()
  rmSync(folder, { recursive: true, force: true })
}
if (!printScores(scores) && wanted.length === 0) process.exitCode = 1

async function send(path: string, file: string): Promise<void> {
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const answer = await fetch(`http://127.0.0.1:${hub.port}${path}`, {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { 'content-type': 'application/octet-stream' },
  } as RequestInit)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

async function dissect(snapshot: string): Promise<void> {
  const job = { snapshot_name: snapshot, dissection_name: 'all' }
  await hub.send('POST', '/delayed_dissection.DelayedDissection/Start', job)
  const status = `/delayed_dissection.DelayedDissection/GetStatus?${new URLSearchParams(job)}`
  for (;;) {
    const { json } = await hub.get(status)
    if (json.status === 'completed') return
    if (json.status === 'failed' || json.status === 'cancelled') throw new Error(JSON.stringify(json))
    await sleep(100)
  }
}
