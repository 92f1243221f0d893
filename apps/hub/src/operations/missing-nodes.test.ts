import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { bundleThread } from '../testing/bundle-thread.ts'
import { nodeObject } from '../testing/cluster-objects.ts'
import { ListWatchServer } from '../testing/list-watch-server.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

const NODES = '/api/v1/nodes'
const T = Date.now() - 60_000
const never = { name: 'n2', reason: 'no worker has connected' }
const recording = { oldest_ts: T, newest_ts: T + 50_000, size_bytes: 1, packet_count: 1, dropped_packets: 0 }

let thread: URL
let folder: string
let server: ListWatchServer
let hub: TestHub
beforeAll(async () => {
  thread = await bundleThread()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-nodes-'))
  server = new ListWatchServer()
  await server.start()
})
afterEach(async () => {
  await hub?.stop()
  await server.stop()
  await rm(folder, { recursive: true })
})

/** A hub that watches a cluster of the nodes n1 and n2, and a worker on n1 alone. */
async function clustered(set: readonly string[] = []) {
  for (const name of ['n1', 'n2']) server.put(NODES, nodeObject(name, '192.0.2.1'))
  await server.writeKubeconfig(folder)
  hub = await startHub({ thread, set: [...watched(), ...set] })
  const covered = { until: Date.now(), gaps: [{ from: 0, to: T - 1, reason: 'not_started' }] }
  const coverage = { recorded: covered, indexed: covered }
  const boundaries = () => recording
  const worker = await hub.worker('n1', { boundaries }, { coverage, recording, indexing: true })
  await until(
    () => hub.services.kubernetes?.nodes.length,
    (count) => count === 2,
  )
  return worker
}

const watched = () => [
  'tap.kubernetes.enabled=true',
  `tap.kubernetes.kubeconfig=${join(folder, 'kubeconfig')}`,
]
const window = `start=${T}&end=${T + 50_000}`

test('every answer names a node of the cluster that never had a worker, and no total is exact', async () => {
  await clustered()
  for (const path of [
    `/mcp/calls?${window}`,
    `/mcp/calls?db=recording&${window}`,
    `/mcp/stats?${window}`,
    `/mcp/stats?group_by=method&${window}`,
    `/mcp/flows?${window}`,
    `/mcp/flows/summary?${window}`,
    `/mcp/topology?${window}`,
    `/mcp/suspects?${window}`,
    `/mcp/events?${window}`,
    `/mcp/diff?a_start=${T}&a_end=${T + 20_000}&b_start=${T + 20_000}&b_end=${T + 40_000}`,
    `/mcp/kfl/search?query=path&${window}`,
    `/mcp/kfl/complete?kfl=${encodeURIComponent('method == ')}&cursor=10&${window}`,
    '/mcp/data-boundaries',
  ]) {
    const { status, json } = await hub.get(path)
    expect([path, status, json.missing_nodes]).toEqual([path, 200, [never]])
    if (json.total_is !== undefined) expect([path, json.total_is]).toEqual([path, 'at_least'])
  }
  const { json } = await hub.get(`/mcp/calls?${window}`)
  expect(json).toMatchObject({ total: 0, total_is: 'at_least' })
  expect(json.incomplete).toMatchObject([{ node: 'n2', kind: 'not_recorded', reason: 'no_worker' }])
})

test('a snapshot lists such a node and is partial, and so are answers from its dissection', async () => {
  await clustered()
  await hub.send('POST', '/mcp/snapshots', { name: 's', start: T, end: T + 50_000 })
  const { json: snapshot } = await until(
    () => hub.get('/mcp/snapshots/s'),
    ({ json }) => json.status === 'completed',
  )
  expect(snapshot).toMatchObject({
    partial: true,
    missing_nodes: [never],
    gaps: [{ node: 'n2', from_ts: T, to_ts: T + 50_000, reason: 'no_worker' }],
  })
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's', dissection_name: 'd' })
  await until(
    () => hub.get('/mcp/dissections/s/d'),
    ({ json }) => json.status === 'completed',
  )
  // The node has a worker by now; the snapshot has nothing of it.
  await hub.worker('n2')
  const { json } = await hub.get('/mcp/calls?db=s/d')
  expect(json).toMatchObject({ missing_nodes: [never], total_is: 'at_least' })
})

test('a node is missing from no answer once its worker has connected, and from none about a time before the node', async () => {
  await clustered()
  const early = await hub.get('/mcp/calls?start=1000&end=2000')
  expect(early.json.missing_nodes).toBeUndefined()
  await hub.worker('n2')
  const { json } = await hub.get(`/mcp/calls?${window}`)
  expect(json.missing_nodes).toBeUndefined()
  expect(json.total_is).toBe('exact')
})

test('the state of the hub and /readyz name it too, with what the cluster says of its worker', async () => {
  server.put('/apis/apps/v1/daemonsets', {
    metadata: { uid: 'ds', name: 'w', namespace: 'tapdeck' },
    spec: { template: { spec: {} } },
  } as never)
  server.put('/api/v1/events', {
    metadata: { uid: 'e', name: 'e', namespace: 'tapdeck' },
    type: 'Warning',
    involvedObject: { kind: 'DaemonSet', namespace: 'tapdeck', name: 'w' },
    reason: 'FailedCreate',
    message: 'violates PodSecurity',
  } as never)
  const worker = await clustered(['tap.kubernetes.workerDaemonSet=tapdeck/w'])
  const text =
    'no worker has connected: the DaemonSet tapdeck/w has no pod on it: FailedCreate: violates PodSecurity'
  const missing = async () => (await hub.get('/api/status')).json.missing_nodes
  await until(missing, (found) => found?.[0]?.reason === text)
  expect((await hub.get('/mcp/data-boundaries')).json.missing_nodes).toEqual([{ name: 'n2', reason: text }])
  expect((await hub.get('/readyz')).json).toMatchObject({
    ready: true,
    recording: false,
    missing_nodes: [{ name: 'n2', reason: text }],
  })
  const other = await hub.worker('n2')
  expect((await hub.get('/readyz')).json).toMatchObject({ recording: true })
  expect(await missing()).toBeUndefined()
  // One that was here is missing for what the cluster says, too.
  other.close()
  const [gone] = await until(missing, (found) => found !== undefined)
  expect(gone).toMatchObject({
    name: 'n2',
    reason: expect.stringContaining('not known until it is back: the DaemonSet'),
  })
  worker.close()
})

test('without the nodes of the cluster, /readyz does not say that all of them record', async () => {
  await clustered()
  await hub.worker('n2')
  expect((await hub.get('/readyz')).json).toMatchObject({ recording: true })
  await hub.stop()
  await server.stop()
  hub = await startHub({ thread, set: watched() })
  await hub.worker('n1')
  expect((await hub.get('/readyz')).json).toMatchObject({ ready: true, recording: false })
  await server.start()
  await hub.worker('n2')
  await until(
    () => hub.get('/readyz'),
    ({ json }) => json.recording,
  )
})

test('a node that left the cluster, or on which no worker runs by configuration, is not missing', async () => {
  const linux = nodeObject('n1', '192.0.2.1')
  await clustered(['tap.kubernetes.workerNodes.os=linux'])
  // None has the label.
  expect((await hub.get(`/mcp/calls?${window}`)).json.missing_nodes).toBeUndefined()
  // The worker that runs on n1 all the same is connected.
  const excluded = [{ name: 'n2', reason: expect.stringContaining('the label os=linux, and this node has') }]
  for (const path of ['/mcp/data-boundaries', '/api/status', '/readyz'])
    expect([path, (await hub.get(path)).json.excluded_nodes]).toEqual([path, excluded])
  expect((await hub.get('/readyz')).json).toMatchObject({ recording: true })
  const labelled = { ...linux.metadata, uid: 'n3', name: 'n3', labels: { os: 'linux' } }
  server.put(NODES, { ...linux, metadata: labelled })
  const missing = async () => (await hub.get(`/mcp/calls?${window}`)).json.missing_nodes
  await until(missing, (found) => found?.[0]?.name === 'n3')
  server.remove(NODES, 'n3')
  await until(missing, (found) => found === undefined)
})

test('a node that was recorded before the configuration excluded it is missing of that time, with the label', async () => {
  const worker = await clustered(['tap.kubernetes.workerNodes.os=linux'])
  await hub.worker('n2')
  worker.close()
  const { json } = await until(
    () => hub.get(`/mcp/calls?${window}`),
    (answer) => /the node is not connected/.test(answer.json.missing_nodes?.[0]?.reason),
  )
  expect(json.missing_nodes).toEqual([
    {
      name: 'n1',
      reason: expect.stringMatching(/not connected.*label os=linux, and this node has no label os/),
    },
  ])
  expect((await hub.get('/readyz')).json.excluded_nodes).toMatchObject([{ name: 'n1' }])
})

test('a node whose worker is not connected any more is missing, with that reason', async () => {
  const worker = await clustered()
  await hub.worker('n2')
  worker.close()
  const { json } = await until(
    () => hub.get(`/mcp/calls?${window}`),
    (answer) => /the node is not connected/.test(answer.json.missing_nodes?.[0]?.reason),
  )
  expect(json.missing_nodes).toMatchObject([{ name: 'n1' }])
  expect(json.total_is).toBe('at_least')
})
