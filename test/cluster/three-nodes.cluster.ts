import { beforeAll, expect, test, vi } from 'vitest'
import { podsOf, type RunningPod } from './pods-of.ts'
import { callsOf, type RecordedCall, waiting } from './recorded-calls.ts'
import { hub, kubectl, nodes, send } from './test-cluster.ts'

/**
 * Each client asks each web server by its address and the Service by its name, so that every pair of nodes talks. Other pod
 * networks and proxies: `OVERLAY=vxlan PROXY=iptables npm run cluster three-nodes`.
 */
const BY_SERVICE = 5
const DISSECTION = { snapshot_name: 'three-nodes', dissection_name: 'six-steps' }
const db = `${DISSECTION.snapshot_name}/${DISSECTION.dissection_name}`
let clients: readonly RunningPod[]
let servers: readonly RunningPod[]

beforeAll(async () => {
  clients = await podsOf('client')
  servers = await podsOf('web')
  await Promise.all(
    clients.map(({ name }) => {
      const direct = servers.map(
        (to) => `wget -qO- "http://${to.address}:8080/?server=${to.name}" >/dev/null`,
      )
      const service = `for i in $(seq ${BY_SERVICE}); do wget -qO- "http://web/?by-service=$i" >/dev/null; done`
      return kubectl('exec', name, '--', 'sh', '-c', [...direct, service].join(' && '))
    }),
  )
  // The last packets are in the ring before the snapshot is taken.
  const all = clients.length * BY_SERVICE
  await vi.waitUntil(async () => (await callsOf('"by-service" in request.query')).length >= all, waiting)
})

test('pods are on all nodes', () => {
  expect(clients.map(({ node }) => node)).toEqual(nodes)
  expect(servers.map(({ node }) => node)).toEqual(nodes)
})

test('the boundaries name all nodes, and a snapshot is held by all of them', async () => {
  const boundaries = await hub<{ nodes: readonly { name: string }[] }>('/mcp/data-boundaries')
  expect(boundaries.nodes.map(({ name }) => name).sort()).toEqual(nodes)
  await send('POST', '/mcp/snapshots', { name: DISSECTION.snapshot_name, duration: '1h' })
  const snapshot = () => hub<object>(`/mcp/snapshots/${DISSECTION.snapshot_name}`)
  await expect.poll(snapshot).toMatchObject({ status: 'completed', node_count: nodes.length })
})

test('the dissection of the snapshot completes, with its number of calls', async () => {
  await send('POST', '/delayed_dissection.DelayedDissection/Start', DISSECTION)
  const job = () => hub<object>('/delayed_dissection.DelayedDissection/GetStatus')
  await expect.poll(job).toMatchObject({ ...DISSECTION, status: 'completed', errors: [] })
  expect(await job()).toMatchObject({ call_count: expect.any(Number) })
})

test.each(['dissection', 'live index', 'recording'])(
  'each request between two pods is one call in the %s, with the right names at both ends',
  async (source) => {
    const from = { dissection: db, 'live index': undefined, recording: 'recording' }[source]
    const expected = clients.flatMap((client) =>
      servers.map((server) => `${client.name} ${client.node} > ${server.name} ${server.node}`),
    )
    expect((await callsOf('"server" in request.query', from)).map(ends).sort()).toEqual(expected.sort())
  },
)

test('outbound calls are found by src.pod and inbound calls by dst.svc', async () => {
  for (const { name, node } of clients) {
    const outbound = await callsOf(`src.pod == "${name}" and "by-service" in request.query`, db)
    expect(outbound).toHaveLength(BY_SERVICE)
    for (const { src, dst } of outbound) {
      expect(src).toMatchObject({ node, workload: 'client', ns: 'default' })
      expect(servers).toContainEqual({ name: dst.pod, node: dst.node, address: dst.ip })
    }
  }
  const inbound = await callsOf('dst.svc == "web" and "by-service" in request.query', db)
  expect(inbound).toHaveLength(clients.length * BY_SERVICE)
})

function ends({ src, dst, request }: RecordedCall): string {
  expect(dst.pod).toBe(request.query?.server)
  return `${src.pod} ${src.node} > ${dst.pod} ${dst.node}`
}
