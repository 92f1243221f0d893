import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { podsOf } from './pods-of.ts'
import { type RecordedCall, waiting } from './recorded-calls.ts'
import { inNode, killApiServer, kubectl, namespace, nodes } from './test-cluster.ts'

/** The hub is asked on the pod network, because the way through the API server is away, too. */
let address: string
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
  const [client] = await podsOf('client')
  const loop = 'for i in $(seq 20); do wget -qO- "http://web/?kills=$i" >/dev/null; done'
  await kubectl('exec', client!.name, '--', 'sh', '-c', loop)
})

afterAll(async () => {
  startApiServer()
  await vi.waitUntil(async () => {
    const ready = await kubectl('get', '--raw', '/readyz').catch(() => '')
    return ready === 'ok'
  }, waiting)
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

test('a worker that is killed while a snapshot is taken: the snapshot completes, and lists what it does not hold', async () => {
  await ask('/mcp/snapshots', { name: 'no-worker', duration: '1h' })
  await inNode(1, 'pkill', '-KILL', '-f', '^node .*worker')
  const { node_count, partial } = await completed('/mcp/snapshots/no-worker')
  if (node_count === nodes.length) return
  expect(node_count).toBe(nodes.length - 1)
  expect(partial).toBe(true)
})
