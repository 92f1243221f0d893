import { beforeAll, describe, expect, test, vi } from 'vitest'
import { podsOf, type RunningPod } from './pods-of.ts'
import { callsOf, dissectRecording, type RecordedCall, waiting } from './recorded-calls.ts'
import { hub, inNode, kubectl, nodes } from './test-cluster.ts'

/**
 * Requests pass several interfaces, tunnels and translations of addresses, and are seen on two or three nodes. Other pod
 * networks and proxies: `OVERLAY=vxlan PROXY=iptables npm run cluster one-call`.
 */
const REQUESTS = 10
const NODE_PORT = 30_080
const KFL = '"way" in request.query'

interface Way {
  readonly name: string
  /** Begin of the URL. */
  readonly to: string
  readonly fromHost?: true
  /** Names of the ends. */
  readonly src: object
  readonly dst: object
}

let ways: readonly Way[]
let db: string

beforeAll(async () => {
  const client = (await podsOf('client'))[0]!
  const servers = await podsOf('web')
  const [same, other] = [servers[0]!, servers.at(-1)!]
  const { address } = (await podsOf('host-web')).at(-1)!
  const asPod = { src: { pod: client.name, node: client.node, ns: 'default', workload: 'client' } }
  const asHost = { fromHost: true, src: { node: client.node } } as const
  const pod = ({ name, node }: RunningPod) => ({ dst: { pod: name, node, workload: 'web', ns: 'default' } })
  const service = (await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.clusterIP}')).trim()
  const behind = { dst: { svc: 'web', ns: 'default', workload: 'web', port: 8080 } }
  // A node that only sends to the port of another node does not know to which pod it leads.
  const port = { dst: { svc: 'web', ns: 'default' } }
  ways = [
    { name: 'pod-to-pod-of-its-node', to: `${same.address}:8080`, ...asPod, ...pod(same) },
    { name: 'pod-to-pod-of-another-node', to: `${other.address}:8080`, ...asPod, ...pod(other) },
    { name: 'pod-to-service', to: service, ...asPod, ...behind },
    { name: 'pod-to-node-port', to: `${address}:${NODE_PORT}`, ...asPod, ...port },
    { name: 'host-to-pod-of-another-node', to: `${other.address}:8080`, ...asHost, ...pod(other) },
    { name: 'host-to-service', to: service, ...asHost, ...behind },
    { name: 'host-to-node-port-of-another-node', to: `${address}:${NODE_PORT}`, ...asHost, ...port },
  ]
  const script = (command: string, host: boolean) =>
    ways
      .filter(({ fromHost = false }) => fromHost === host)
      .map(
        ({ name, to }) => `for i in $(seq ${REQUESTS}); do ${command} "http://${to}/?way=${name}&n=$i"; done`,
      )
      .join('; ')
  await kubectl('exec', client.name, '--', 'sh', '-c', script('wget -qO/dev/null', false))
  await inNode(Number(client.node.replace('node', '')), 'bash', '-c', script('curl -so/dev/null', true))
  const all = ways.length * REQUESTS
  await vi.waitUntil(async () => (await callsOf(KFL)).length >= all, waiting)
  db = await dissectRecording('one-call')
})

const sources = ['live index', 'dissection', 'recording'] as const
const database = { 'live index': () => undefined, dissection: () => db, recording: () => 'recording' }
const numbers = Array.from({ length: REQUESTS }, (_, at) => at + 1)
const numberOf = ({ request }: RecordedCall) => Number(request.query?.n)

// All packets are on disk and indexed by now: what would come twice has come.
describe.each(sources)('in the %s', (source) => {
  let calls: readonly RecordedCall[]
  beforeAll(async () => {
    calls = await callsOf(KFL, database[source]())
  })

  test('each request is one call, on each way', () => {
    for (const { name } of ways) {
      const found = calls.filter(({ request }) => request.query?.way === name).map(numberOf)
      expect(
        found.sort((a, b) => a - b),
        name,
      ).toEqual(numbers)
    }
  })

  test('both ends of each call are named', () => {
    for (const { name, src, dst } of ways)
      for (const call of calls)
        if (call.request.query?.way === name) expect(call, name).toMatchObject({ src, dst })
  })
})

test('no call can be there twice, and statistics count each one once', async () => {
  for (const query of [{}, { db }]) {
    const page = await hub<object>('/mcp/calls', { kfl: KFL, limit: '1', ...query })
    expect(page).not.toHaveProperty('undecided_ownership')
    const stats = { kfl: `${KFL} and request.query["way"] == "pod-to-service"`, group_by: 'service' }
    const { groups } = await hub<{ groups: readonly object[] }>('/mcp/stats', {
      ...stats,
      limit: '1',
      ...query,
    })
    expect(groups).toMatchObject([{ group: 'web', calls: REQUESTS }])
  }
})

test('a call between two nodes has the time on the network and the time of the server', async () => {
  const between = (await callsOf(KFL)).find(({ src, dst }) => src.pod && dst.pod && src.node !== dst.node)
  expect(between !== undefined).toBe(nodes.length > 1)
  if (between === undefined) return
  const call = await hub<{ both_ends?: object }>(`/mcp/calls/${encodeURIComponent(between.id)}`)
  expect(call.both_ends).toMatchObject({ client_node: between.src.node, server_node: between.dst.node })
})

test.each(['live index', 'dissection'] as const)(
  'what workers send to the hub is not in the %s',
  async (source) => {
    const own = database[source]()
    const query = { svc: 'tapdeck', limit: '100', ...(own !== undefined && { db: own }) }
    const { flows } = await hub<{ flows: readonly { server: { svc?: string; port?: number } }[] }>(
      '/mcp/flows',
      query,
    )
    expect(flows.filter(({ server }) => server.svc === 'tapdeck' && server.port === 8898)).toEqual([])
  },
)
