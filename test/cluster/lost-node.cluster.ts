import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { podsOf, type RunningPod } from './pods-of.ts'
import { callsOf, waiting } from './recorded-calls.ts'
import { hub, inNode, kubectl, nodes } from './test-cluster.ts'

interface Boundaries {
  readonly nodes: readonly { readonly name: string }[]
  readonly missing_nodes?: readonly { readonly name: string }[]
}

interface NodeEvent {
  readonly type: string
  readonly name: string
  readonly condition?: string
  readonly status?: string
  readonly ts: number
}

/** The API server waits for the lease of a node: longer than other states take. */
const lease = { timeout: 280_000 }
/** A node without the hub and the cluster DNS, cut off at its cable: its pods and its worker go on running. */
let lost: string
let server: RunningPod
let cutAt: number

beforeAll(async () => {
  // Other tests take the API server away, and nodes are not ready for a while after that.
  await kubectl('wait', '--for=condition=Ready', 'nodes', '--all', `--timeout=${lease.timeout / 1000}s`)
  const where = (namespace: string, app: string) =>
    kubectl('get', 'pods', '-n', namespace, '-l', app, '-o', 'jsonpath={.items[0].spec.nodeName}')
  const needed = new Set([
    await where('tapdeck', 'app.kubernetes.io/component=hub'),
    await where('kube-system', 'k8s-app=kube-dns'),
  ])
  lost = nodes.find((name) => !needed.has(name))!
  server = (await podsOf('web')).find(({ node }) => node === lost)!
  const client = (await podsOf('client')).find(({ node }) => node === lost)!
  const loop = `while true; do wget -qO- "http://${server.address}:8080/?inside=$(date +%s)"; sleep 1; done`
  await kubectl('exec', client.name, '--', 'sh', '-c', `(${loop}) >/dev/null 2>&1 &`)
  await vi.waitUntil(async () => (await callsOf('"inside" in request.query')).length > 0, waiting)
  cutAt = Date.now()
  await inNode(0, 'ip', 'link', 'set', lost, 'down')
})

afterAll(async () => {
  await inNode(0, 'ip', 'link', 'set', lost, 'up')
})

const conditions = async () => {
  const query = { kind: 'cluster', name: lost, limit: '500', order: 'oldest' }
  const { events } = await hub<{ events: readonly NodeEvent[] }>('/mcp/events', query)
  return events
    .filter(({ type, condition, ts }) => type === 'node_condition' && condition === 'Ready' && ts >= cutAt)
    .map(({ status }) => status)
}
const boundaries = () => hub<Boundaries>('/mcp/data-boundaries')

test('a request to a pod of the lost node is in the recording of the node that asked', async () => {
  const client = (await podsOf('client')).find(({ node }) => node !== lost)!
  const ask = `wget -T 2 -qO- "http://${server.address}:8080/?lost=1"`
  await expect(kubectl('exec', client.name, '--', 'sh', '-c', ask)).rejects.toThrow()
  const flows = () =>
    hub<{ flows: readonly object[] }>('/mcp/flows', { pod: client.name, ip: server.address, limit: '10' })
  await expect.poll(async () => (await flows()).flows.length).toBeGreaterThan(0)
})

test('the lost node is listed as missing, and its condition is an event', async () => {
  await expect.poll(boundaries, lease).toMatchObject({ missing_nodes: [{ name: lost }] })
  await expect.poll(conditions, lease).toEqual(['Unknown'])
  const removed = async () => {
    const query = { kind: 'cluster', name: 'web', limit: '500', start: String(cutAt) }
    const { events } = await hub<{ events: readonly NodeEvent[] }>('/mcp/events', query)
    return events.map(({ type }) => type)
  }
  await expect.poll(removed).toContain('endpoint_removed')
})

test('a node that is back has recorded the time in which it was lost', async () => {
  const until = Date.now()
  await inNode(0, 'ip', 'link', 'set', lost, 'up')
  await expect.poll(async () => (await boundaries()).missing_nodes, lease).toBeUndefined()
  await expect.poll(conditions, lease).toEqual(['Unknown', 'True'])
  const meanwhile = async () =>
    (await callsOf('"inside" in request.query')).filter(({ ts }) => ts > cutAt && ts < until)
  await expect.poll(async () => (await meanwhile()).length).toBeGreaterThan(10)
  for (const { src, dst } of await meanwhile()) {
    expect(src).toMatchObject({ workload: 'client', node: lost })
    expect(dst).toMatchObject({ pod: server.name, node: lost })
  }
})
