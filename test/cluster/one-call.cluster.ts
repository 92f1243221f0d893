import { beforeAll, expect, test, vi } from 'vitest'
import { callsOf, dissectRecording, type RecordedCall, waiting } from './recorded-calls.ts'
import { hub, kubectl } from './test-cluster.ts'

/**
 * Requests through the address of a Service pass several interfaces, are translated, and are seen on two nodes. Other
 * pod networks and proxies: `OVERLAY=vxlan PROXY=iptables npm run cluster one-call`.
 */
const REQUESTS = 15
const KFL = '"once" in request.query'

beforeAll(async () => {
  const loop = `for i in $(seq ${REQUESTS}); do wget -qO- "http://web/?once=$i" >/dev/null; done`
  await kubectl('exec', 'ds/client', '--', 'sh', '-c', loop)
  await vi.waitUntil(async () => (await callsOf(KFL)).length >= REQUESTS, waiting)
})

function expectOnce(calls: readonly RecordedCall[]): void {
  expect(calls).toHaveLength(REQUESTS)
  for (const { src, dst } of calls) {
    expect(src).toMatchObject({ workload: 'client' })
    expect(dst).toMatchObject({ workload: 'web', svc: 'web', ns: 'default', port: 8080 })
  }
}

test('requests through a cluster IP are one call each, live, in statistics, and out of the recording', async () => {
  const db = await dissectRecording('one-call')
  // All packets are on disk and indexed by now: what would come twice has come.
  expectOnce(await callsOf(KFL))
  expectOnce(await callsOf(KFL, db))
  expectOnce(await callsOf(KFL, 'recording'))
  for (const query of [{}, { db }]) {
    const { groups } = await hub<{ groups: readonly { group: string; calls: number }[] }>('/mcp/stats', {
      ...{ kfl: KFL, group_by: 'service', limit: '1' },
      ...query,
    })
    expect(groups).toMatchObject([{ group: 'web', calls: REQUESTS }])
  }
})

test('a call between two nodes has the time on the network and the time of the server', async () => {
  const between = (await callsOf(KFL)).find(({ src, dst }) => src.node !== dst.node)
  if (between === undefined) return
  const call = await hub<{ both_ends?: object }>(`/mcp/calls/${encodeURIComponent(between.id)}`)
  expect(call.both_ends).toMatchObject({ client_node: between.src.node, server_node: between.dst.node })
})

test('what workers send to the hub through its Service is not recorded', async () => {
  await dissectRecording('own')
  const { flows } = await hub<{ flows: readonly { server: { svc?: string; port?: number } }[] }>(
    '/mcp/flows',
    {
      ...{ svc: 'tapdeck', limit: '100' },
    },
  )
  expect(flows.filter(({ server }) => server.svc === 'tapdeck' && server.port === 8898)).toEqual([])
})
