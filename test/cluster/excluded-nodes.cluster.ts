import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClusterHub, helm, kubectl, nodes, root } from './test-cluster.ts'

/**
 * A release with a worker on the first node only: the configuration excludes the last node, and the one between has a
 * taint that workers do not tolerate.
 */
const NAMESPACE = 'tapdeck-excluded'
const LABEL = 'tapdeck-test/recorded'
const TAINT = 'tapdeck-test/reserved'
const tainted = nodes[1]!
const excluded = nodes.at(-1)!
const recorded = nodes.filter((name) => name !== excluded)
const { get, send } = new ClusterHub(NAMESPACE)

const missing = {
  name: tainted,
  reason: `no worker has connected: the DaemonSet ${NAMESPACE}/tapdeck-worker does not tolerate the taint ${TAINT}=a:NoSchedule of the node`,
}
const excludedNodes = [
  {
    name: excluded,
    reason: expect.stringMatching(
      `only on nodes with the label ${LABEL}=yes, and this node has no label ${LABEL}$`,
    ),
  },
]

beforeAll(async () => {
  await kubectl('label', 'nodes', ...recorded, `${LABEL}=yes`)
  await kubectl('taint', 'node', tainted, `${TAINT}=a:NoSchedule`)
  const values = {
    // The workers of the release of the other suites are on the same nodes.
    tap: { probePort: 8894, capture: { dissection: { stopAfter: 0 } } },
    workerData: { hostPath: '' },
    nodeSelector: { hub: { [LABEL]: 'yes' }, worker: { [LABEL]: 'yes' } },
    tolerations: { worker: [] },
  }
  const set = Object.entries(values).flatMap(([key, value]) => [
    '--set-json',
    `${key}=${JSON.stringify(value)}`,
  ])
  const chart = join(root, 'deploy', 'helm', 'tapdeck')
  await helm(
    'install',
    'tapdeck',
    chart,
    '-n',
    NAMESPACE,
    '--create-namespace',
    ...set,
    '--wait',
    '--timeout',
    '5m',
  )
})

const removeTaint = () => kubectl('patch', 'node', tainted, '--type=merge', '-p', '{"spec":{"taints":null}}')

afterAll(async () => {
  await helm('uninstall', 'tapdeck', '-n', NAMESPACE, '--wait')
  await kubectl('delete', 'namespace', NAMESPACE)
  await removeTaint()
  await kubectl('label', 'nodes', ...recorded, `${LABEL}-`)
})

test.skipIf(nodes.length < 3)(
  'a node with a taint is missing with the taint; one that the configuration excludes is listed with the label',
  async () => {
    await expect.poll(() => get('/readyz')).toMatchObject({ workers: { nodes: [{ name: nodes[0] }] } })
    const expected = { missing_nodes: [missing], excluded_nodes: excludedNodes }
    for (const path of ['/mcp/data-boundaries', '/api/status', '/readyz'])
      expect([path, await get(path)]).toMatchObject([path, expected])
    expect(await get('/readyz')).toMatchObject({ ready: true, recording: false })
    const answer = await get<object>('/mcp/calls', { limit: '1' })
    expect(answer).toMatchObject({ missing_nodes: [missing], total_is: 'at_least' })
    const end = Date.now()
    await send('POST', '/mcp/snapshots', { name: 's', start: end - 5000, end })
    const snapshot = () => get<object>('/mcp/snapshots/s')
    await expect
      .poll(snapshot)
      .toMatchObject({ status: 'completed', partial: true, missing_nodes: [missing] })
  },
)

test.skipIf(nodes.length < 3)(
  'without the taint every node that should have a worker has one that records',
  async () => {
    await removeTaint()
    await expect.poll(() => get('/readyz')).toMatchObject({ recording: true, excluded_nodes: excludedNodes })
    expect(await get('/mcp/calls', { limit: '1', start: String(Date.now() - 1000) })).not.toHaveProperty(
      'missing_nodes',
    )
    await helm('test', 'tapdeck', '-n', NAMESPACE, '--timeout', '2m')
  },
)
