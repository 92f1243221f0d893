import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { inNetworkOf, type KernelCounters, kernelCounters } from './kernel-counters.ts'
import { podsOf, type RunningPod } from './pods-of.ts'
import { callsOf, dissectRecording, waiting } from './recorded-calls.ts'
import { apply, hub, kubectl, nodes } from './test-cluster.ts'

/**
 * What the kernel counts of TCP in the network namespaces of two pods on two nodes is what flows and calls say. Packets are
 * lost after they were captured, where a pod receives them. Over tunnels: `OVERLAY=vxlan npm run cluster kernel-figures`.
 */
const RUNS = [
  { name: 'without-loss', port: 8075, file: 'small', requests: 30 },
  { name: 'requests-lost', port: 8076, file: 'small', requests: 20, lostAt: 'server', each: 5 },
  { name: 'responses-lost', port: 8077, file: 'small', requests: 20, lostAt: 'client', each: 5 },
  { name: 'segments-lost', port: 8078, file: 'big', requests: 3, lostAt: 'client', each: 40 },
] as const
const BIG = 300_000
/** A FIN that is sent again after its acknowledgement was captured comes when the connection is over. */
const LOST = 'ip length > 100 tcp flags & (syn | fin) == 0'
type Side = 'client' | 'server'

interface Figures {
  readonly connections: number
  readonly packets: Readonly<Record<Side, number>>
  readonly retransmissions: number
}

interface Flow {
  readonly server: { readonly port?: number }
  readonly client_stats: { readonly tx_pkts: number }
  readonly server_stats: { readonly tx_pkts: number }
  readonly tcp?: { readonly retransmissions: number }
  readonly flows: number
}

let pods: Readonly<Record<Side, RunningPod>>

beforeAll(async () => {
  const image = 'localhost/busybox:1.38'
  const servers = RUNS.map(({ port }) => `httpd -p ${port} -h /www`).join('; ')
  const serve = `head -c ${BIG} /dev/zero > /www/big; echo ok > /www/small; ${servers}; exec sleep infinity`
  const pod = (name: string, nodeName: string, command: readonly string[]) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: { nodeName, terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image, command }] },
  })
  await apply(
    pod('counted-client', nodes[0]!, ['/bin/sleep', 'infinity']),
    pod('counted-server', nodes.at(-1)!, ['/bin/sh', '-c', serve]),
  )
  await kubectl('wait', '--for=condition=Ready', 'pod/counted-client', 'pod/counted-server', '--timeout=180s')
  pods = { client: (await podsOf('counted-client'))[0]!, server: (await podsOf('counted-server'))[0]! }
  // The kernel counts segments, a capture what is handed to the device.
  for (const one of Object.values(pods))
    await inNetworkOf(one, 'ip', 'link', 'set', 'eth0', 'gso_max_segs', '1')
})
afterAll(() => kubectl('delete', 'pod', 'counted-client', 'counted-server', '--wait=false'))

async function loseAt(pod: RunningPod, each: number): Promise<void> {
  const chain = 'add table ip loss; add chain ip loss arrival { type filter hook input priority 0; }'
  await inNetworkOf(
    pod,
    'nft',
    `${chain}; add rule ip loss arrival ${LOST} numgen inc mod ${each} == 1 counter drop`,
  )
}

async function counters(): Promise<Readonly<Record<Side, KernelCounters>>> {
  const [client, server] = await Promise.all([
    kernelCounters(pods.client.name),
    kernelCounters(pods.server.name),
  ])
  return { client, server }
}

async function flowFigures(port: number, db?: string): Promise<Figures> {
  const query = { pod: pods.client.name, format: 'raw', limit: '1000', ...(db !== undefined && { db }) }
  const { flows } = await hub<{ flows: readonly Flow[] }>('/mcp/flows', query)
  const found = flows.filter(({ server }) => server.port === port)
  const sum = (read: (flow: Flow) => number) => found.reduce((total, flow) => total + read(flow), 0)
  return {
    connections: sum((flow) => flow.flows),
    packets: {
      client: sum((flow) => flow.client_stats.tx_pkts),
      server: sum((flow) => flow.server_stats.tx_pkts),
    },
    retransmissions: sum((flow) => flow.tcp?.retransmissions ?? 0),
  }
}

/** What the kernel counts from now on. */
async function kernelFigures(): Promise<() => Promise<Figures>> {
  const before = await counters()
  return async () => {
    const after = await counters()
    const grown = (side: Side, counter: string) =>
      after[side].get(`Tcp.${counter}`)! - before[side].get(`Tcp.${counter}`)!
    // Segments that are sent again are not among those that are sent.
    const sent = (side: Side) => grown(side, 'OutSegs') + grown(side, 'RetransSegs')
    return {
      connections: grown('client', 'ActiveOpens'),
      packets: { client: sent('client'), server: sent('server') },
      retransmissions: grown('client', 'RetransSegs') + grown('server', 'RetransSegs'),
    }
  }
}

const counted = new Map<string, Figures>()
const kflOf = (name: string) => `request.query["run"] == "${name}"`
/** A call is reported when its response is complete, which can be before parts of the response are sent again. */
const WITH_CALLS = RUNS.filter((run) => !('lostAt' in run) || run.lostAt === 'server')

test.each(RUNS)(
  '$name: live flows have what the kernel counts',
  async ({ name, port, file, requests, ...loss }) => {
    const lossy = 'lostAt' in loss ? pods[loss.lostAt] : undefined
    if (lossy && 'each' in loss) await loseAt(lossy, loss.each)
    const kernel = await kernelFigures()
    const ask = `wget -T 60 -qO/dev/null "http://${pods.server.address}:${port}/${file}?run=${name}&n=$i"`
    await kubectl('exec', pods.client.name, '--', 'sh', '-c', `for i in $(seq ${requests}); do ${ask}; done`)
    if (lossy) await inNetworkOf(lossy, 'nft', 'delete table ip loss')
    await vi.waitFor(async () => {
      const figures = await kernel()
      expect(await flowFigures(port)).toEqual(figures)
      counted.set(name, figures)
    }, waiting)
    const { connections, retransmissions } = counted.get(name)!
    console.info(`${name}: ${JSON.stringify(counted.get(name))}`)
    expect(connections).toBe(requests)
    if (lossy) expect(retransmissions).toBeGreaterThan(0)
  },
)

test.each(WITH_CALLS)('$name: live calls have the retransmissions', async ({ name, requests }) => {
  const calls = await callsOf(kflOf(name))
  expect(calls).toHaveLength(requests)
  expect(retransmissionsOf(calls)).toBe(counted.get(name)?.retransmissions)
})

test('the flows and calls of a dissection have the same figures', async () => {
  const db = await dissectRecording('counted')
  for (const { name, port } of RUNS) expect(await flowFigures(port, db), name).toEqual(counted.get(name))
  for (const { name, requests } of WITH_CALLS) {
    const calls = await callsOf(kflOf(name), db)
    expect(calls, name).toHaveLength(requests)
    expect(retransmissionsOf(calls), name).toBe(counted.get(name)?.retransmissions)
  }
})

function retransmissionsOf(calls: Awaited<ReturnType<typeof callsOf>>): number {
  return calls.reduce((sum, { tcp }) => sum + (tcp?.retransmissions ?? 0), 0)
}
