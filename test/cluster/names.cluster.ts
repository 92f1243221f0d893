import { beforeAll, expect, test, vi } from 'vitest'
import { callsOf, dissectRecording, type Peer, waiting } from './recorded-calls.ts'
import { apply, hub, inNode, kubectl } from './test-cluster.ts'

/** Pods that run one after another on few addresses. Each puts its own name into the request: the truth to compare with. */
const PODS = 100
const ADDRESSES = 12
let db: string
let webAddress: string

beforeAll(async () => {
  const conflist = '/etc/cni/net.d/10-pods.conflist'
  const range = `"subnet":"10.244.1.0/24","rangeStart":"10.244.1.100","rangeEnd":"10.244.1.${99 + ADDRESSES}"`
  await inNode(1, 'sed', '-i', `s#"subnet":"10.244.1.0/24"#${range}#`, conflist)
  webAddress = (await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.clusterIP}')).trim()
  await apply({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'reuse' },
    spec: {
      completions: PODS,
      parallelism: 6,
      template: {
        metadata: { labels: { app: 'reuse' } },
        spec: {
          restartPolicy: 'Never',
          nodeName: 'node1',
          containers: [
            {
              name: 'ask',
              image: 'localhost/busybox:1.38',
              command: ['/bin/sh', '-c', `wget -qO- "http://${webAddress}/?pod=$HOSTNAME"`],
            },
          ],
        },
      },
    },
  })
  await kubectl('wait', '--for=condition=complete', 'job/reuse', '--timeout=540s')
  const ask = (url: string) => kubectl('exec', 'ds/client', '--', 'wget', '-qO-', url)
  const webPod = (
    await kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].status.podIP}')
  ).trim()
  await ask(`http://${webAddress}/?to=cluster-ip`)
  await ask('http://10.80.0.11:30080/?to=node-port')
  await ask('http://10.80.0.12:8090/?to=host-network')
  await ask('http://web-direct.default.svc.cluster.local:8080/?to=headless')
  await ask(`http://${webPod}:8080/?to=pod`)
  // The last packets are in the ring before the snapshot is taken.
  await vi.waitFor(async () => {
    if ((await callsOf('request.query["to"] == "pod"')).length === 0) throw new Error('no call yet')
  }, waiting)
  db = await dissectRecording('names')
})

test(`the requests of ${PODS} pods on ${ADDRESSES} addresses all have the right name, after the pods are gone`, async () => {
  const calls = await callsOf('http and "pod" in request.query', db)
  const rows = calls
    .map(({ ts, src, request }) => ({ ts, said: String(request.query?.pod), src }))
    .filter(({ said }) => said.startsWith('reuse-'))
  const wrong = rows.filter(({ said, src }) => said !== src.pod || src.workload !== 'reuse')
  const addresses = new Set(rows.map(({ src }) => src.ip))
  console.info(
    `names of reused addresses: ${rows.length} calls of ${new Set(rows.map(({ said }) => said)).size} pods on ${addresses.size} addresses, ${wrong.length} wrong`,
  )
  // A host that is too busy for the capture thread loses packets, and says so. Then calls may be missing, but none is wrong.
  const { nodes } = await hub<{ nodes: readonly { dropped_packets: number }[] }>('/mcp/snapshots/names')
  const dropped = nodes.reduce((sum, { dropped_packets }) => sum + dropped_packets, 0)
  const seen = new Set(rows.map(({ said }) => said)).size
  if (dropped === 0) expect(seen).toBe(PODS)
  else expect(seen, `${dropped} packets were dropped`).toBeGreaterThan(PODS / 2)
  expect(addresses.size).toBeLessThanOrEqual(ADDRESSES)
  const reported = wrong.length > 0 ? await reportedStatus() : new Map<string, object>()
  expect(wrong.map(({ ts, said, src }) => ({ ts, said, ...src, status: reported.get(said) }))).toEqual([])
})

/** What Kubernetes says of each pod at the end: whether a name was never known, or was lost. */
async function reportedStatus(): Promise<ReadonlyMap<string, object>> {
  const { items } = JSON.parse(await kubectl('get', 'pods', '-l', 'app=reuse', '-o', 'json')) as {
    items: readonly { metadata: { name: string }; status: object }[]
  }
  return new Map(items.map(({ metadata, status }) => [metadata.name, status]))
}

test.each<[string, Partial<Peer>]>([
  ['cluster-ip', { svc: 'web', ns: 'default' }],
  ['node-port', { svc: 'web', ns: 'default' }],
  ['host-network', { workload: 'host-web', workload_kind: 'DaemonSet', node: 'node2' }],
  ['headless', { workload: 'web', workload_kind: 'Deployment' }],
  // Two Services lead to this port, and either may be named.
  ['pod', { workload: 'web', workload_kind: 'Deployment' }],
])('a request by %s is named at both ends', async (kind, expected) => {
  const calls = await callsOf(`request.query["to"] == "${kind}"`, db)
  const fromClient = calls.filter(({ src }) => src.workload === 'client')
  expect(fromClient).not.toEqual([])
  expect(fromClient.map(({ dst }) => dst)).toContainEqual(expect.objectContaining(expected))
  for (const { src } of fromClient) expect(src).toMatchObject({ ns: 'default', workload_kind: 'DaemonSet' })
})
