import assert from 'node:assert/strict'
import type { StatsGroupBy } from '@tapdeck/questions'
import type { CallIndex } from '../call-index.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { type Check, everything, kfl, withIndex } from './check.ts'

/** 100 calls to `orders` on two connections and 10 to an unnamed address on a third. */
async function traffic(index: CallIndex): Promise<void> {
  const flows = [sampleFlow({ id: 1, handshake: 100 }), sampleFlow({ id: 2, handshake: 300 })]
  for (let i = 0; i < 100; i++) {
    const flow = flows[i < 90 ? 0 : 1]
    const status = i % 10 === 0 ? 500 : 200
    index.append(
      sampleCall({
        flow,
        ordinal: i,
        start: DAWN + i * 100_000,
        latency: (i + 1) * 1000,
        path: `/users/${i}/orders/${i}`,
        status,
      }),
      samplePeers(
        flow,
        { pod: 'web-7d9f8b6c5-abcde', ns: 'front' },
        { pod: 'orders-0', svc: 'orders', ns: 'shop', node: 'n2' },
      ),
    )
  }
  const lone = sampleFlow({ id: 3, server: '192.0.2.1', serverPort: 8080 })
  for (let i = 0; i < 10; i++)
    index.append(
      sampleCall({ flow: lone, ordinal: i, start: DAWN + i, answered: false, path: '/x' }),
      samplePeers(lone),
    )
  await index.flush()
}

const groupsBy = async (index: CallIndex, group_by: StatsGroupBy, filter = everything) =>
  (await index.stats({ filter, group_by, limit: 100 })).groups

export const statsChecks: readonly Check[] = [
  {
    name: 'counts calls, errors, bytes and exact percentiles of each service',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const [orders, lone] = await groupsBy(index, 'service')
        assert.deepEqual(
          { ...orders, bytes: 0, rate: Math.round(orders.rate * 100) },
          {
            group: 'orders',
            calls: 100,
            errors: 10,
            capture_errors: 0,
            ns: 'shop',
            rate: 1010,
            latency_p50_ms: 50.5,
            latency_p90_ms: 90.1,
            latency_p95_ms: 95.05,
            latency_p99_ms: 99.01,
            bytes: 0,
            tcp_handshake_p50_us: 100,
            tcp_handshake_p90_us: 300,
            tcp_handshake_p99_us: 300,
          },
        )
        assert.ok(orders.bytes > 10_000)
        assert.equal(lone.group, '192.0.2.1:8080')
        assert.equal(lone.errors, 10)
        assert.equal(lone.latency_p50_ms, undefined)
        assert.equal(lone.tcp_handshake_p50_us, undefined)
      }),
  },
  {
    name: 'tells apart services and pods of the same name in different namespaces',
    run: (open) =>
      withIndex(open, async (index) => {
        const namespaces = ['shop', 'staging', undefined]
        for (const [i, ns] of namespaces.entries()) {
          const flow = sampleFlow({ id: i + 1, server: `10.0.1.${i}`, handshake: 100 * (i + 1) })
          const peer = { pod: 'orders-0', svc: 'orders', ...(ns && { ns }) }
          for (let ordinal = 0; ordinal <= i; ordinal++)
            index.append(sampleCall({ flow, ordinal }), samplePeers(flow, { ...peer, pod: 'web' }, peer))
        }
        await index.flush()
        for (const by of ['service', 'workload', 'src', 'dst'] as const)
          for (const filter of [everything, kfl('proto == "http"')])
            assert.deepEqual(
              (await groupsBy(index, by, filter)).map((one) => [one.ns, one.calls, one.tcp_handshake_p50_us]),
              [
                [undefined, 3, 300],
                ['staging', 2, 200],
                ['shop', 1, 100],
              ],
            )
        assert.deepEqual(
          (await groupsBy(index, 'proto')).map(({ ns, calls }) => [ns, calls]),
          [[undefined, 6]],
        )
        // What the traffic says is no namespace, whatever characters it has.
        const flow = sampleFlow({ id: 9 })
        index.append(sampleCall({ flow, path: '/odd\u001fpath' }), samplePeers(flow))
        await index.flush()
        const odd = await groupsBy(index, 'path', kfl('path.contains("odd")'))
        assert.deepEqual(
          odd.map(({ group, ns }) => [group, ns]),
          [['/odd\u001fpath', undefined]],
        )
      }),
  },
  {
    name: 'groups pods by the workload that owns them, and by the name of the pod where that is not known',
    run: (open) =>
      withIndex(open, async (index) => {
        const pods = [
          // A CronJob's pod and a Deployment with digits at its end: no suffix tells.
          { pod: 'report-28871520-x7kqz', workload: 'report', workload_kind: 'CronJob' },
          { pod: 'report-28871521-b2k4d', workload: 'report', workload_kind: 'CronJob' },
          { pod: 'api-v-2', workload: 'api-v-2', workload_kind: 'Pod' },
          { pod: 'web-7d9f8b6c5-abcde' },
          { pod: 'web-7d9f8b6c5-fghjk' },
        ]
        for (const [i, pod] of pods.entries()) {
          const flow = sampleFlow({ id: i + 1, server: `10.0.1.${i}`, client: `10.0.2.${i}` })
          index.append(sampleCall({ flow }), samplePeers(flow, pod, pod))
        }
        await index.flush()
        for (const by of ['workload', 'src_workload'] as const)
          assert.deepEqual((await groupsBy(index, by)).map(({ group, calls }) => [group, calls]).sort(), [
            ['api-v-2', 1],
            ['report', 2],
            ['web', 2],
          ])
        assert.deepEqual(
          (await groupsBy(index, 'proto', kfl('dst.workload == "report"'))).map(({ calls }) => calls),
          [2],
        )
      }),
  },
  {
    name: 'counts capture errors apart from errors of the called service, and unfinished calls not as errors',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow()
        const reasons = ['no_response', 'gap', 'midstream', 'truncated', 'unfinished'] as const
        for (const [ordinal, missing] of reasons.entries())
          index.append(sampleCall({ flow, ordinal, answered: false, missing }), samplePeers(flow))
        index.append(sampleCall({ flow, ordinal: 5, status: 500 }), samplePeers(flow))
        await index.flush()
        const counts = async (by: StatsGroupBy) =>
          (await groupsBy(index, by)).map((one) => [one.calls, one.errors, one.capture_errors])
        assert.deepEqual(await counts('service'), [[6, 5, 3]])
        assert.deepEqual(await counts('path'), [[6, 5, 3]])
        const [failed] = await groupsBy(index, 'proto', kfl('error == "no_response"'))
        assert.deepEqual([failed.errors, failed.capture_errors], [1, 0])
      }),
  },
  {
    name: 'groups by each of the words that it knows',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const names = async (by: StatsGroupBy) =>
          (await groupsBy(index, by)).map(({ group, calls }) => [group, calls])
        assert.deepEqual(
          await names('workload'),
          [
            ['orders', 100],
            ['192.0.2.1:80', 10],
          ].map(([g, n]) => [g === '192.0.2.1:80' ? '192.0.2.1:8080' : g, n]),
        )
        assert.deepEqual(await names('path'), [
          ['/users/{id}/orders/{id}', 100],
          ['/x', 10],
        ])
        assert.deepEqual(await names('status'), [
          ['200', 90],
          ['(unknown)', 10],
          ['500', 10],
        ])
        assert.deepEqual(await names('proto'), [['http', 110]])
        assert.deepEqual(await names('src'), [
          ['web-7d9f8b6c5-abcde', 100],
          ['10.0.0.1', 10],
        ])
        assert.deepEqual(await names('dst'), [
          ['orders-0', 100],
          ['192.0.2.1', 10],
        ])
        assert.deepEqual(await names('node'), [
          ['n2', 100],
          ['node-1', 10],
        ])
        assert.deepEqual(await names('ns'), [
          ['shop', 100],
          ['(unknown)', 10],
        ])
        const times = await names('time')
        assert.deepEqual(times[0], ['2026-01-01T00:00:00.000Z', 20])
        assert.deepEqual(times[9], ['2026-01-01T00:00:09.000Z', 10])
        assert.equal(times.length, 10)
      }),
  },
  {
    name: 'takes percentiles of latencies that are very long, or finer than a microsecond, as they are',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow()
        const percentiles = async () => {
          await index.flush()
          const [group] = await groupsBy(index, 'proto')
          return [group.latency_p50_ms, group.latency_p99_ms]
        }
        index.append(sampleCall({ flow, latency: 2000 }), samplePeers(flow))
        assert.deepEqual(await percentiles(), [2, 2])
        index.append(sampleCall({ flow, ordinal: 1, latency: 2001 }), samplePeers(flow))
        assert.deepEqual(await percentiles(), [2.0005, 2.00099])
        index.append(sampleCall({ flow, ordinal: 2, latency: 2000.75 }), samplePeers(flow))
        assert.equal((await percentiles())[0], 2.00075)
        for (let ordinal = 3; ordinal < 10; ordinal++)
          index.append(sampleCall({ flow, ordinal, latency: 3e9 }), samplePeers(flow))
        assert.deepEqual(await percentiles(), [3e6, 3e6])
      }),
  },
  {
    name: 'counts a connection once in each group that it carried calls of',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const [late] = await groupsBy(index, 'service', kfl('latency > 85ms'))
        assert.equal(late.calls, 15)
        assert.equal(late.tcp_handshake_p50_us, 100)
        assert.equal(late.tcp_handshake_p99_us, 300)
        const [ok] = await groupsBy(index, 'status', kfl('dst.svc == "orders"'))
        assert.equal(ok.tcp_handshake_p50_us, 100)
        assert.equal(ok.tcp_handshake_p99_us, 300)
      }),
  },
  {
    name: 'gives the same groups whether columns or payloads decide',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        for (const by of ['service', 'path', 'time'] as const)
          assert.deepEqual(
            await groupsBy(index, by, kfl('request.headers["host"] == "shop" and status == 500')),
            await groupsBy(index, by, kfl('status == 500')),
          )
      }),
  },
  {
    name: 'keeps to its limit and to the window, and has nothing to say of nothing',
    run: (open) =>
      withIndex(open, async (index) => {
        assert.deepEqual(await groupsBy(index, 'service'), [])
        await traffic(index)
        const one = await index.stats({ filter: everything, group_by: 'path', limit: 1 })
        assert.equal(one.groups.length, 1)
        const { groups: times } = await index.stats({ filter: everything, group_by: 'time', limit: 3 })
        assert.deepEqual(
          times.map(({ group, calls }) => [group, calls]),
          [
            ['2026-01-01T00:00:00.000Z', 60],
            ['2026-01-01T00:00:05.000Z', 50],
          ],
        )
        const start = DAWN / 1000 + 9000
        const late = await index.stats({ filter: everything, group_by: 'service', limit: 5, start })
        const [orders] = late.groups
        assert.equal(orders.calls, 10)
        assert.equal(orders.tcp_handshake_p50_us, 300)
        assert.deepEqual(await groupsBy(index, 'service', kfl('dst.svc == "none"')), [])
      }),
  },
  {
    name: 'tells with each call the handshakes of its destination',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const call = await index.call('node-1/1/5')
        assert.deepEqual(
          [call?.tcp_handshake_p50_us, call?.tcp_handshake_p90_us, call?.tcp_handshake_p99_us],
          [100, 300, 300],
        )
        assert.equal((await index.call('node-1/3/5'))?.tcp_handshake_p50_us, undefined)
        const slow = kfl('tcp_handshake_p90_us > 200')
        assert.equal(await index.count(slow, {}), 100)
        assert.equal((await groupsBy(index, 'proto', slow))[0].calls, 100)
        assert.equal((await index.calls({ filter: slow, limit: 5, order: 'newest' })).calls.length, 5)
      }),
  },
]
