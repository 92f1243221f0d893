import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { CallIndex } from '../call-index.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { type Check, everything, ids, inFolder, kfl } from './check.ts'

const flow = sampleFlow({ handshake: 50 })

/** Calls whose bodies do not shrink. */
async function add(index: CallIndex, first: number, count: number, bytes = 20): Promise<void> {
  for (let ordinal = first; ordinal < first + count; ordinal++)
    index.append(
      sampleCall({
        flow,
        ordinal,
        start: DAWN + ordinal * 1000,
        path: `/${ordinal}`,
        body: randomBytes(bytes / 2).toString('hex'),
      }),
      samplePeers(flow, { pod: `web-${ordinal % 7}` }, { svc: 'orders' }),
    )
  await index.flush()
}

/** What is kept, and for how long. */
export const durabilityChecks: readonly Check[] = [
  {
    name: 'goes on where it was closed',
    run: (open) =>
      inFolder(open, async (openIndex) => {
        for (let round = 0; round < 3; round++) {
          const index = await openIndex()
          await add(index, round * 100, 100)
          assert.equal((await index.summary()).calls, (round + 1) * 100)
          assert.equal((await index.summary()).by_protocol.http, (round + 1) * 100)
          assert.equal((await ids(index)).length, (round + 1) * 100)
          assert.equal(
            await index.count(kfl('src.pod == "web-3"'), {}),
            Math.floor(((round + 1) * 100 - 4) / 7) + 1,
          )
          await index.close()
        }
      }),
  },
  {
    name: 'lists when calls began and between whom, of a window without its end',
    run: (open) =>
      inFolder(open, async (openIndex) => {
        const index = await openIndex()
        await add(index, 0, 20)
        const starts = await index.starts(DAWN + 3000, DAWN + 6000)
        const [client, server] = flow.ends
        assert.deepEqual(
          starts.toSorted((a, b) => a.time - b.time),
          [3, 4, 5].map((ordinal) => ({
            time: DAWN + ordinal * 1000,
            src: { ip: client.ip, port: client.port },
            dst: { ip: server.ip, port: server.port },
          })),
        )
        assert.deepEqual(await index.starts(0, DAWN), [])
        await index.close()
      }),
  },
  {
    name: 'is read by several at once and changed by none of them',
    run: (open) =>
      inFolder(open, async (openIndex) => {
        const index = await openIndex()
        await add(index, 0, 300)
        const expected = await ids(index)
        await index.close()
        const readers = [await openIndex({ readOnly: true }), await openIndex({ readOnly: true })]
        for (const reader of readers) {
          assert.deepEqual(await ids(reader), expected)
          assert.equal((await reader.call('node-1/4711/7'))?.response?.body?.length, 20)
          assert.throws(() => reader.append(sampleCall({ flow }), samplePeers(flow)), /reading only/)
        }
      }),
  },
  {
    name: 'drops the oldest above its bound, and only those',
    run: (open) =>
      inFolder(open, async (openIndex) => {
        const maxBytes = 12 * 1024 * 1024
        const index = await openIndex({ maxBytes })
        assert.equal(index.deletedUntil, 0)
        let most = 0
        for (let round = 0; round < 40; round++) {
          await add(index, round * 100, 100, 10_000)
          const { size_bytes, calls, newest_ts } = await index.summary()
          most = Math.max(most, size_bytes)
          assert.equal(newest_ts, DAWN / 1000 + round * 100 + 99)
          assert.ok(calls <= (round + 1) * 100)
        }
        assert.ok(most <= maxBytes * 1.25, `${most} bytes`)
        const { calls, oldest_ts, size_bytes } = await index.summary()
        assert.ok(
          size_bytes > maxBytes / 4 && calls > 300 && calls < 3000,
          `${calls} calls in ${size_bytes} bytes`,
        )
        assert.equal(
          index.deletedUntil,
          (oldest_ts ?? 0) - 1,
          'the last deleted call is the one before the oldest',
        )
        assert.equal(await index.count(everything, {}), calls)
        const { calls: oldest } = await index.calls({ filter: everything, limit: 1, order: 'oldest' })
        assert.equal(oldest[0].ts, oldest_ts)
        assert.equal(oldest[0].response?.body?.length, 10_000)
        assert.equal(await index.call('node-1/4711/0'), undefined)
        const newest = await ids(index, everything, 1000)
        assert.deepEqual(newest.slice(0, 3), ['node-1/4711/3999', 'node-1/4711/3998', 'node-1/4711/3997'])
        await index.close()
        const again = await openIndex({ maxBytes })
        assert.equal((await again.summary()).calls, calls)
        assert.equal((await again.flows({ limit: 5, order: 'bytes' })).total, 1)
      }),
  },
]
