import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { CallIndex } from '../call-index.ts'
import { everything, inFolder, kfl } from '../contract/check.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { openIndex } from './open-index.ts'

/** Limits the file size, which looks like a full disk to a writer. False if it cannot be set. */
function limitFiles(bytes: number | 'unlimited'): boolean {
  return spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]).status === 0
}

const canLimit = limitFiles('unlimited')
const flow = sampleFlow({ id: 7, handshake: 10 })
let appended = 0

function append(index: CallIndex, count: number, body = ''): void {
  for (let i = 0; i < count; i++, appended++)
    index.append(
      sampleCall({ flow, ordinal: appended, start: DAWN + appended, path: `/${appended}`, body }),
      // Names that are new while nothing can be written must be there when the rows are.
      samplePeers(flow, { pod: `web-${appended % 1000}` }),
    )
}

afterEach(() => void limitFiles('unlimited'))

it.skipIf(!canLimit)('keeps the rows of a full disk for later, and counts the payloads it cost', () =>
  inFolder(openIndex, async (open, folder) => {
    appended = 0
    const index = await open()
    append(index, 200)
    await index.flush()
    expect(index.loss).toEqual({})
    limitFiles(statSync(join(folder, 'chunk-000001/payload.seg')).size + 1000)
    append(index, 300, randomBytes(2000).toString('hex'))
    await expect(index.flush()).rejects.toThrow()
    expect(index.loss).toEqual({ unwritten_payloads: 300 })
    limitFiles('unlimited')
    append(index, 100, 'there is room again')
    await index.flush()
    expect(index.loss).toEqual({ unwritten_payloads: 300 })
    expect((await index.summary()).calls).toBe(600)
    expect(await index.count(kfl('src.pod startsWith "web-"'), {})).toBe(600)
    expect(await index.count(kfl('response.body contains "room again"'), {})).toBe(100)
    const lost = await index.call('node-1/7/300')
    expect([lost?.status, lost?.payload_missing, lost?.error]).toEqual([200, true, undefined])
    expect(lost?.compact()).toMatchObject({ payload_missing: true })
    expect(await index.count(kfl('error'), {})).toBe(0)
    expect((await index.call('node-1/7/500'))?.toJSON().payload_missing).toBe(undefined)
  }),
)

it.skipIf(!canLimit)('counts the calls that it had to give up', () =>
  inFolder(openIndex, async (open, folder) => {
    appended = 0
    const index = await open()
    append(index, 200)
    await index.flush()
    limitFiles(statSync(join(folder, 'chunk-000001/calls.duckdb.wal')).size + 1000)
    append(index, 500)
    await expect(index.flush()).rejects.toThrow()
    expect((await index.summary()).calls).toBe(200)
    // Far more than is kept for better times.
    for (let i = 0; i < 270; i++) {
      append(index, 500)
      if (i % 20 === 0) await index.flush().catch(() => undefined)
    }
    limitFiles('unlimited')
    append(index, 100)
    // An earlier error may still be pending.
    await index.flush().catch(() => undefined)
    await index.flush()
    const { unwritten_calls: lost = 0 } = index.loss
    expect(lost).toBeGreaterThan(500)
    const { calls } = await index.summary()
    expect(calls + lost).toBe(appended)
    expect(await index.count(kfl('src.pod startsWith "web-"'), {})).toBe(calls)
    await index.close()
    const again = await open()
    expect(await again.count(everything, {})).toBe(calls)
  }),
)
