import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { podsOf } from './pods-of.ts'
import { type RecordedCall, waiting } from './recorded-calls.ts'
import { inNode, killApiServer, kubectl, namespace, nodes } from './test-cluster.ts'

/**
 * The hub is asked on the pod network, because the way through the API server is away, too. All tests run without an API
 * server: workers and hub that restart then are known by the tokens that the cluster has confirmed before.
 */
let address: string
let hubNode: string
let startApiServer = () => {}

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const data = body ? ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)] : []
  return JSON.parse(await inNode(0, 'curl', '-s', ...data, `http://${address}:8898${path}`)) as Answer
}

async function completed(path: string): Promise<Record<string, unknown>> {
  let last: Record<string, unknown> = {}
  await vi.waitFor(async () => {
    last = await ask(path)
    if (last.status !== 'completed') throw new Error(`${path}: ${last.status}`)
  }, waiting)
  return last
}

beforeAll(async () => {
  const of = ['-n', namespace, '-l', 'app.kubernetes.io/component=hub']
  address = (await kubectl('get', 'pods', ...of, '-o', 'jsonpath={.items[0].status.podIP}')).trim()
  hubNode = (await kubectl('get', 'pods', ...of, '-o', 'jsonpath={.items[0].spec.nodeName}')).trim()
  const [client] = await podsOf('client')
  const loop = 'for i in $(seq 20); do wget -qO- "http://web/?kills=$i" >/dev/null; done'
  await kubectl('exec', client!.name, '--', 'sh', '-c', loop)
})

afterAll(async () => {
  startApiServer()
  await vi.waitUntil(async () => (await kubectl('get', '--raw', '/readyz').catch(() => '')) === 'ok', waiting)
})

test('without an API server, a snapshot holds all nodes and its dissection has the names', async () => {
  startApiServer = killApiServer()
  await ask('/mcp/snapshots', { name: 'no-api-server', duration: '1h' })
  expect(await completed('/mcp/snapshots/no-api-server')).toMatchObject({ node_count: nodes.length })
  await ask('/mcp/dissections', { snapshot_name: 'no-api-server', dissection_name: 'all' })
  expect(await completed('/mcp/dissections/no-api-server/all')).toMatchObject({ errors: [] })
  const kfl = encodeURIComponent('"kills" in request.query')
  const { calls } = await ask<{ calls: readonly RecordedCall[] }>(
    `/mcp/calls?db=no-api-server/all&format=full&kfl=${kfl}`,
  )
  expect(calls).toHaveLength(20)
  for (const { src, dst } of calls) {
    expect(src).toMatchObject({ workload: 'client' })
    expect(dst).toMatchObject({ workload: 'web', svc: 'web' })
  }
})

const processOf = async (node: number, program: string) =>
  (await inNode(node, 'pgrep', '-f', `^/usr/local/bin/node /app/dist/${program}.mjs`)).trim()

async function allConnected(): Promise<void> {
  await vi.waitFor(async () => {
    const found = await ask<{ nodes: readonly object[]; missing_nodes?: readonly object[] }>(
      '/mcp/data-boundaries',
    )
    if (found.nodes.length < nodes.length || found.missing_nodes?.length) throw new Error('not all nodes')
  }, waiting)
}

test('a worker that is killed while a snapshot is taken comes back, and the snapshot holds its node', async () => {
  await ask('/mcp/snapshots', { name: 'no-worker', duration: '1h' })
  await inNode(1, 'kill', '-KILL', await processOf(1, 'worker'))
  const snapshot = await completed('/mcp/snapshots/no-worker')
  // A host that is too busy to start the worker within a minute has its time listed as missing.
  const [first] = snapshot.nodes as readonly { readonly name: string; readonly status: string }[]
  expect(first).toMatchObject({ name: 'node1' })
  if (first!.status === 'completed') expect(snapshot.node_count).toBe(nodes.length)
  else {
    const gap = expect.objectContaining({ node: 'node1', reason: 'worker_away' })
    expect(snapshot).toMatchObject({
      ...{ node_count: nodes.length - 1, partial: true },
      gaps: expect.arrayContaining([gap]),
    })
  }
  await allConnected()
})

test('a hub that is killed has all workers again, and its snapshots and dissections', async () => {
  const at = Number(hubNode.replace('node', ''))
  const before = await processOf(at, 'hub')
  await inNode(at, 'kill', '-KILL', before)
  await vi.waitUntil(async () => (await processOf(at, 'hub').catch(() => before)) !== before, waiting)
  await allConnected()
  expect(await ask('/mcp/snapshots/no-api-server')).toMatchObject({ status: 'completed' })
  expect(await ask('/mcp/dissections/no-api-server/all')).toMatchObject({ status: 'completed' })
})
