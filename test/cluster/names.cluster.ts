import { beforeAll, describe, expect, test, vi } from 'vitest'
import { callsOf, dissectRecording, type Peer, waiting } from './recorded-calls.ts'
import { apply, hub, inNode, kubectl } from './test-cluster.ts'

/**
 * Pods that run one after another on few addresses. Each puts its own name into its requests: the truth to compare with.
 * `TAPDECK_JOB_RUNS=5 npm run cluster names` does it five times.
 */
const PODS = 100
const REQUESTS = 3
const ADDRESSES = 16
const KFL = 'http and "pod" in request.query'
const RUNS = Array.from({ length: Number(process.env.TAPDECK_JOB_RUNS ?? '1') }, (_, at) => `reuse-${at + 1}`)
let webAddress: string

beforeAll(async () => {
  const conflist = '/etc/cni/net.d/10-pods.conflist'
  const range = `"subnet":"10.244.1.0/24","rangeStart":"10.244.1.100","rangeEnd":"10.244.1.${99 + ADDRESSES}"`
  await inNode(1, 'sed', '-i', `s#"subnet":"10.244.1.0/24"}#${range}}#`, conflist)
  webAddress = (await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.clusterIP}')).trim()
})

interface CallList {
  readonly undecided_ownership?: number
  readonly incomplete?: readonly object[]
}

interface NodeStatus {
  readonly unnamed_calls?: number
}

const unnamedCalls = async () => {
  const { nodes } = await hub<{ nodes: readonly NodeStatus[] }>('/api/status')
  return nodes.reduce((sum, { unnamed_calls = 0 }) => sum + unnamed_calls, 0)
}

describe.each(RUNS)(`${PODS} pods with ${REQUESTS} requests each on ${ADDRESSES} addresses: %s`, (run) => {
  let expected: readonly string[]
  let unnamedBefore: number
  let begin: number
  let db: string

  beforeAll(async () => {
    unnamedBefore = await unnamedCalls()
    begin = Date.now()
    const ask = `for n in $(seq ${REQUESTS}); do wget -qO- "http://${webAddress}/?pod=$HOSTNAME&n=$n" || exit 1; done`
    const container = { name: 'ask', image: 'localhost/busybox:1.38', command: ['/bin/sh', '-c', ask] }
    const spec = { restartPolicy: 'Never', nodeName: 'node1', containers: [container] }
    await apply({
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: run } },
      spec: { completions: PODS, parallelism: 6, template: { metadata: { labels: { app: 'reuse' } }, spec } },
    })
    await kubectl('wait', '--for=condition=complete', `job/${run}`, '--timeout=540s')
    const done = ['--field-selector=status.phase=Succeeded', '-o', 'jsonpath={.items[*].metadata.name}']
    const names = (await kubectl('get', 'pods', '-l', `job-name=${run}`, ...done)).trim().split(' ')
    expect(names).toHaveLength(PODS)
    expected = names.flatMap((name) => Array.from({ length: REQUESTS }, (_, at) => `${name} ${at + 1}`))
    // The last packets are in the ring before the snapshot is taken, and calls that wait for names are indexed.
    await kubectl('exec', 'ds/client', '--', 'wget', '-qO-', `http://${webAddress}/?after=${run}`)
    await vi.waitUntil(async () => (await callsOf(`request.query["after"] == "${run}"`)).length > 0, waiting)
    db = await dissectRecording(run)
  })

  /** Requests that are not in an answer, that are in it several times, and that have not the name of their pod. */
  async function compared(from?: string) {
    const calls = await callsOf(KFL, from)
    const rows = calls
      .map(({ ts, src, request }) => ({ ts, pod: String(request.query?.pod), n: request.query?.n, src }))
      .filter(({ pod }) => pod.startsWith(`${run}-`))
    const times = new Map<string, number>()
    for (const { pod, n } of rows) times.set(`${pod} ${n}`, (times.get(`${pod} ${n}`) ?? 0) + 1)
    return {
      missing: expected.filter((one) => !times.has(one)),
      twice: expected.filter((one) => (times.get(one) ?? 0) > 1),
      unnamed: rows.filter(({ src }) => src.pod === undefined),
      wrong: rows.filter(
        ({ pod, src }) => src.pod !== undefined && (pod !== src.pod || src.workload !== run),
      ),
      addresses: new Set(rows.map(({ src }) => src.ip)).size,
    }
  }
  type Compared = Awaited<ReturnType<typeof compared>>
  const show = (what: string, { missing, twice, unnamed, wrong, addresses }: Compared, reported: object) =>
    console.info(
      `${run} ${what}: ${missing.length} missing, ${twice.length} twice, ${unnamed.length} unnamed, ${wrong.length} wrong, ${addresses} addresses; ${JSON.stringify(reported)}`,
    )

  test('a dissection has each call once with its name, after the pods are gone', async () => {
    const found = await compared(db)
    // A host that is too busy for the capture thread loses packets, and says so. Then calls may be missing, but none is wrong.
    const { nodes } = await hub<{ nodes: readonly { dropped_packets: number }[] }>(`/mcp/snapshots/${run}`)
    const dropped = nodes.reduce((sum, { dropped_packets }) => sum + dropped_packets, 0)
    const { undecided_ownership: undecided = 0 } = await hub<CallList>('/mcp/calls', {
      kfl: KFL,
      limit: '1',
      db,
    })
    show('dissection', found, { dropped, undecided })
    const { twice, unnamed, wrong, addresses } = found
    if (dropped === 0) expect(found.missing).toEqual([])
    expect({ twice, wrong, unnamed: await withStatus(unnamed) }).toEqual({
      twice: [],
      wrong: [],
      unnamed: [],
    })
    expect(addresses).toBeLessThanOrEqual(ADDRESSES)
  })

  test('the live index has each call once, or says which can be there twice or have no name', async () => {
    const now = { kfl: KFL, limit: '1', start: String(begin) }
    const { undecided_ownership: undecided = 0, incomplete = [] } = await hub<CallList>('/mcp/calls', now)
    const found = await compared()
    const reported = {
      undecided,
      incomplete: incomplete.length,
      unnamed: (await unnamedCalls()) - unnamedBefore,
    }
    show('live', found, reported)
    if (incomplete.length === 0) expect(found.missing).toEqual([])
    expect(found.wrong).toEqual([])
    expect(found.twice.length).toBeLessThanOrEqual(undecided)
    // A pod network without blocks by node does not show that an address is a pod's: its calls are undecided.
    expect(found.unnamed.length).toBeLessThanOrEqual(reported.unnamed + undecided)
  })
})

/** With what Kubernetes says of each pod at the end: whether a name was never known, or was lost. */
async function withStatus(rows: readonly { readonly pod: string }[]): Promise<readonly object[]> {
  if (rows.length === 0) return []
  const { items } = JSON.parse(await kubectl('get', 'pods', '-l', 'app=reuse', '-o', 'json')) as {
    items: readonly { metadata: { name: string }; status: object }[]
  }
  const states = new Map(items.map(({ metadata, status }) => [metadata.name, status]))
  return rows.map((row) => ({ ...row, status: states.get(row.pod) }))
}

describe('ways of a request', () => {
  let db: string

  beforeAll(async () => {
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
})
