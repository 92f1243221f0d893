import { execFileSync } from 'node:child_process'
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startHub } from '../apps/hub/src/testing/start-hub.ts'
import { CaptureFile } from './peers/capture-file.ts'
import { runChild } from './peers/child.ts'
import { tshark } from './peers/contestants.ts'
import { keepAlive } from './peers/http-workload.ts'

/*
 * A snapshot of HTTP traffic dissected into an index that answers, by a job of the hub, next to tshark with traffic of the same
 * kind: as it reads a file and prints a line a packet, and as it is asked for calls (a display filter and fields), which gives more nearly
 * what we have and costs it twice as much. By the clock and by processor time (ours: the whole process of the hub, all threads), in
 * turns; the job runs at a low priority, so beside other load the clock says little.
 * Size of the snapshot: TAPDECK_BENCH_MB (1000); of what tshark gets, which would take minutes: TAPDECK_BENCH_PART_MB (60). Threads of the
 * job: TAPDECK_BENCH_THREADS (0: by the number of cores). Rounds: TAPDECK_BENCH_ROUNDS (3), the median counts.
 */
const MB = Number(process.env.TAPDECK_BENCH_MB ?? 1000)
const PART_MB = Number(process.env.TAPDECK_BENCH_PART_MB ?? 60)
const THREADS = Number(process.env.TAPDECK_BENCH_THREADS ?? 0)
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 3)

interface Speed {
  readonly wall: number
  readonly cpu: number
}

const root = join(import.meta.dirname, '../..')
execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), 'hub-dissection', 'hub-shard'], {
  stdio: 'ignore',
})
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
const hub = await startHub({
  folder: join(folder, 'hub'),
  set: [`tap.delayedDissection.threads=${THREADS}`],
  thread: pathToFileURL(join(root, 'dist/hub-dissection.mjs')),
})
try {
  const whole = make('whole.pcap', MB)
  const part = make('part.pcap', PART_MB)
  const bytes = createReadStream(whole.path, { highWaterMark: 1 << 20 })
  await hub.services.snapshots.import({ name: 's', node: 'n', bytes, append: false, more: false })
  const ours: Speed[] = []
  const peers = [
    {
      name: 'tshark reads',
      run: () => runChild('tshark', ['-n', '-r', part.path], false),
      took: [] as Speed[],
    },
    { name: 'tshark, calls', run: () => tshark(keepAlive, part.path), took: [] as Speed[] },
  ]
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await dissected(`d${round}`, whole))
    for (const { run, took } of peers) {
      const began = performance.now()
      const result = run()
      if (result) took.push(speed(part.megabytes, performance.now() - began, result.seconds))
    }
  }
  const we = median(ours)
  console.log(
    `${whole.megabytes.toFixed(0)} MB, ${whole.calls} calls, MB/s by the clock and a second of processor`,
  )
  console.log(`tapdeck        ${we.wall.toFixed(0).padStart(5)}  ${we.cpu.toFixed(0).padStart(5)}`)
  for (const { name, took } of peers) {
    if (took.length === 0) {
      console.log(`${name.padEnd(14)} is not installed here`)
      continue
    }
    const they = median(took)
    const times = `${(we.wall / they.wall).toFixed(1)}× and ${(we.cpu / they.cpu).toFixed(1)}×`
    console.log(
      `${name.padEnd(14)} ${they.wall.toFixed(1).padStart(5)}  ${they.cpu.toFixed(1).padStart(5)}  we: ${times}`,
    )
  }
} finally {
  await hub.stop()
  rmSync(folder, { recursive: true, force: true })
}

interface Capture {
  readonly path: string
  readonly megabytes: number
  readonly calls: number
}

function make(name: string, megabytes: number): Capture {
  const path = join(folder, name)
  const file = new CaptureFile(path)
  const calls = keepAlive.write(file, megabytes * 1e6)
  file.close()
  return { path, megabytes: statSync(path).size / 1e6, calls }
}

/** Until the index is complete and has answered. */
async function dissected(name: string, { megabytes, calls }: Capture): Promise<Speed> {
  const { dissections } = hub.services
  const [began, before] = [performance.now(), process.cpuUsage()]
  await dissections.start({ snapshot_name: 's', dissection_name: name })
  const ended = new Promise<void>((resolve) => {
    const look = () => {
      const { status } = dissections.get('s', name)
      if (status === 'pending' || status === 'running') return
      dissections.off('change', look)
      resolve()
    }
    dissections.on('change', look)
  })
  await ended
  const { status, errors } = dissections.get('s', name)
  if (status !== 'completed') throw new Error(`the dissection is ${status}: ${errors.join()}`)
  const { json } = await hub.get(`/mcp/calls?db=s/${name}&limit=1`)
  const { user, system } = process.cpuUsage(before)
  if (json.total !== calls) throw new Error(`${json.total} calls, not ${calls}`)
  const taken = speed(megabytes, performance.now() - began, (user + system) / 1e6)
  await dissections.remove('s', name)
  return taken
}

function speed(megabytes: number, ms: number, cpu: number): Speed {
  return { wall: megabytes / (ms / 1000), cpu: megabytes / cpu }
}

function median(all: readonly Speed[]): Speed {
  const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
  return { wall: middle(all.map(({ wall }) => wall)), cpu: middle(all.map(({ cpu }) => cpu)) }
}
