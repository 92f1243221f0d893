import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { jobsOf } from '../testing/jobs-of.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

const thread = threadForTests()
let hub: TestHub
afterEach(() => hub?.stop())
const { importFile, dissect, calls } = jobsOf(() => hub)

const damages: Record<string, (file: string) => void> = {
  removed: (file) => rmSync(file),
  overwritten: (file) => writeFileSync(file, Buffer.alloc(statSync(file).size, 0x5a)),
}

describe('a dissection whose files are damaged', () => {
  it.each(Object.entries(damages))('is a problem with a hint when they are %s', async (_name, damage) => {
    hub = await startHub({ thread: thread() })
    await importFile('s1', captureFile(httpPackets({ requests: 50 })))
    await dissect('s1', 'all')
    const files = filesOf('all')
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) damage(file)

    for (const answer of await answersOf('all'))
      expect([answer.status, answer.json]).toMatchObject([
        409,
        { code: 'dissection_damaged', hint: expect.stringContaining('dissect the snapshot again') },
      ])
    expect((await hub.get('/mcp/databases')).status).toBe(200)

    expect((await hub.send('DELETE', '/mcp/dissections/s1/all')).status).toBe(200)
    expect(await dissect('s1', 'all')).toMatchObject({ status: 'completed', call_count: 50 })
    expect((await calls('s1/all', '')).json.total).toBe(50)
  })

  it('is one whichever file it is', async () => {
    hub = await startHub({ thread: thread() })
    await importFile('s1', captureFile(httpPackets({ requests: 50 })))
    await dissect('s1', 'd0')
    const files = filesOf('d0').length
    for (let at = 0; at < files; at++) {
      const name = `d${at}`
      if (at > 0) await dissect('s1', name)
      const file = filesOf(name)[at]!
      damages.overwritten!(file)
      for (const { status, json } of await answersOf(name))
        if (status !== 200) expect([file, status, json.code]).toEqual([file, 409, 'dissection_damaged'])
    }
  })
})

function filesOf(dissection: string): string[] {
  const folder = join(hub.folder, 'snapshots/s1/dissections', dissection, 'index')
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

async function answersOf(dissection: string) {
  return [
    await calls(`s1/${dissection}`, '', '&format=full'),
    await hub.get(`/mcp/stats?db=s1/${dissection}`),
    await hub.get(`/mcp/flows?db=s1/${dissection}`),
  ]
}
