import assert from 'node:assert/strict'
import { partsOfGroup } from '@tapdeck/questions'
import type { CallIndex } from '../call-index.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { type Check, everything, withIndex } from './check.ts'

/** 40 calls of `web` to `orders`, the last 10 unanswered, and 20 of `batch`, which has no name, to `stock`. */
async function traffic(index: CallIndex): Promise<void> {
  const web = sampleFlow({ id: 1, handshake: 100 })
  web.last = DAWN + 60_000_000
  for (let i = 0; i < 40; i++)
    index.append(
      sampleCall({
        flow: web,
        ordinal: i,
        start: DAWN + i * 1_000_000,
        latency: (i + 1) * 1000,
        path: i === 0 ? '/odd\u001e\u001fpath' : `/users/${i}`,
        answered: i < 30,
      }),
      samplePeers(web, { pod: 'web-1', ns: 'front' }, { pod: 'orders-0', svc: 'orders', ns: 'shop' }),
    )
  const batch = sampleFlow({ id: 2, client: '10.9.9.9' })
  for (let i = 0; i < 20; i++)
    index.append(
      sampleCall({ flow: batch, ordinal: i, start: DAWN + i * 1_000_000, path: '/', status: 503 }),
      samplePeers(batch, {}, { svc: 'stock', ns: 'shop' }),
    )
  await index.flush()
}

/** Groups by several dimensions, and their profiles. */
export const dimensionChecks: readonly Check[] = [
  {
    name: 'groups by client and server at once, each with its namespace',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const { groups } = await index.stats({
          filter: everything,
          group_by: 'src_service,service',
          limit: 9,
        })
        assert.deepEqual(
          groups.map((one) => [...partsOfGroup(one), one.calls, one.errors]),
          [
            [{ group: 'web-1', ns: 'front' }, { group: 'orders', ns: 'shop' }, 40, 10],
            [{ group: '10.9.9.9' }, { group: 'stock', ns: 'shop' }, 20, 20],
          ],
        )
        assert.equal(groups[0].tcp_handshake_p50_us, 100)
        assert.equal(groups[0].latency_p50_ms, 15.5)
        const ordered = await index.stats({ filter: everything, group_by: 'path,service', limit: 1 })
        assert.deepEqual(partsOfGroup(ordered.groups[0]), [
          { group: '/users/{id}' },
          { group: 'orders', ns: 'shop' },
        ])
        const both = await index.stats({ filter: everything, group_by: 'service,dst,node', limit: 9 })
        assert.deepEqual(partsOfGroup(both.groups[0]).slice(0, 2), [
          { group: 'orders', ns: 'shop' },
          { group: 'orders-0', ns: 'shop' },
        ])
        const [first] = groups
        const only = [{ group: first.group }]
        const again = await index.stats({
          filter: everything,
          group_by: 'src_service,service',
          limit: 9,
          only,
        })
        assert.deepEqual(again.groups, [first])
      }),
  },
  {
    name: 'a path is a template in several dimensions too, and its characters separate nothing',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const { groups } = await index.stats({ filter: everything, group_by: 'error,path', limit: 9 })
        assert.deepEqual(
          groups.map((one) => [...partsOfGroup(one).map(({ group }) => group), one.calls]),
          [
            ['(none)', '/users/{id}', 29],
            ['503', '/', 20],
            ['no_response', '/users/{id}', 10],
            ['(none)', '/odd  path', 1],
          ].map(([error, ...rest]) => [error === '503' ? groupError(groups) : error, ...rest]),
        )
      }),
  },
  {
    name: 'groups by time and name at once',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const { groups } = await index.stats({
          filter: everything,
          group_by: 'time,service',
          limit: 100,
          buckets: 5,
        })
        const times = new Set(groups.map((one) => Number(partsOfGroup(one)[0].group)))
        assert.ok(times.size > 2 && times.size <= 5, `${times.size} times`)
        assert.equal(
          groups.reduce((sum, { calls }) => sum + calls, 0),
          60,
        )
        for (const time of times) assert.ok(Math.abs(time - DAWN / 1000) <= 60_000)
      }),
  },
  {
    name: 'a profile has times, sizes, unanswered calls and percentiles within 2 %',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const { groups } = await index.stats({
          filter: everything,
          group_by: 'service',
          limit: 9,
          profile: true,
        })
        const [orders, stock] = groups
        assert.equal(orders.first_ts, DAWN / 1000)
        assert.equal(orders.last_ts, DAWN / 1000 + 39_000)
        assert.equal(orders.unanswered, 10)
        assert.equal(stock.unanswered, 0)
        // Of each, from its begin to the last packet of the connection.
        assert.deepEqual([orders.waited_ms, orders.waited_max_ms], [255_000, 30_000])
        assert.deepEqual([stock.waited_ms, stock.waited_max_ms], [0, 0])
        assert.equal((orders.req_bytes ?? 0) + (orders.resp_bytes ?? 0), orders.bytes)
        assert.ok(Math.abs((orders.latency_p50_ms ?? 0) - 15) <= 0.3, String(orders.latency_p50_ms))
        assert.ok(Math.abs((orders.latency_p99_ms ?? 0) - 30) <= 0.6, String(orders.latency_p99_ms))
        assert.equal(orders.percentiles_are, 'estimate')
      }),
  },
  {
    name: 'percentiles count the time that clients waited, where that is asked for',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        for (const profile of [true, false]) {
          const asked = { filter: everything, group_by: 'service' as const, limit: 9, profile }
          const [plain] = (await index.stats(asked)).groups
          const [waiting] = (await index.stats({ ...asked, waits: true, distributions: true })).groups
          assert.ok((plain.latency_p90_ms ?? 0) <= 30)
          assert.ok((waiting.latency_p90_ms ?? 0) >= 25_000, String(waiting.latency_p90_ms))
          assert.equal(
            waiting.latencies?.values.reduce((sum, [, count]) => sum + count, 0),
            40,
          )
        }
      }),
  },
]

/** What a failed answer is called is the protocol's business. */
function groupError(groups: readonly { readonly group: string; readonly calls: number }[]): string {
  const failed = groups.find(({ calls }) => calls === 20)
  return failed ? partsOfGroup(failed)[0].group : ''
}
