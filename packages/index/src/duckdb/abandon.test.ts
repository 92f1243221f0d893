import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { CallIndex } from '../call-index.ts'
import { everything, inFolder, kfl } from '../contract/check.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { openIndex } from './open-index.ts'

const MIB = 1024 * 1024
const flow = sampleFlow({ id: 7, handshake: 10 })

function append(index: CallIndex, from: number, count: number, body = ''): void {
  for (let i = from; i < from + count; i++)
    index.append(
      sampleCall({ flow, ordinal: i, start: DAWN + i, path: `/${i}`, body: `${body}${i}` }),
      samplePeers(flow, { pod: `web-${i % 50}` }),
    )
}

it('an abandoned index stays as it is: nothing more is written, and queries and flushes are rejected', () =>
  inFolder(openIndex, async (open, folder) => {
    const index = await open()
    append(index, 0, 5000)
    await index.flush()
    append(index, 5000, 5000)
    const under = Promise.allSettled([
      index.flush(),
      ...Array.from({ length: 20 }, () => index.count(kfl('request.body contains "nowhere"'), {})),
      ...Array.from({ length: 20 }, () => index.flows({ limit: 10, order: 'bytes' })),
    ])
    await index.abandon()
    const outcomes = (await under).map(({ status }) => status)
    expect(outcomes[0]).toBe('rejected')
    expect(outcomes.filter((status) => status === 'rejected').length).toBeGreaterThan(30)
    await expect(index.count(everything, {})).rejects.toThrow('closed')
    expect(() => append(index, 0, 1)).toThrow('closed')
    // The log is there still: nothing was folded in, let alone sealed.
    expect(existsSync(join(folder, 'chunk-000001/calls.duckdb.wal'))).toBe(true)
    expect(existsSync(join(folder, 'chunk-000001/payload.seg.idx'))).toBe(false)
    await index.abandon()
    await index.close()
    // As after a crash.
    const again = await open()
    expect((await again.summary()).calls).toBe(5000)
  }))

it('an index can be abandoned while its next chunk begins, again and again', () =>
  inFolder(openIndex, async (open) => {
    for (let turn = 0; turn < 8; turn++) {
      const index = await open({ maxBytes: 8 * MIB })
      append(index, turn * 1000, 100, randomBytes(MIB / 100).toString('hex'))
      const flushed = index.flush().catch(() => undefined)
      await setTimeout(turn * 5)
      await index.abandon()
      await flushed
    }
  }))
