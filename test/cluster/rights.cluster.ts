import { expect, test } from 'vitest'
import { rightsOf } from './rights-of.ts'
import { hub, killApiServer, kubectl, namespace } from './test-cluster.ts'

interface Status {
  readonly kubernetes: { readonly kinds: readonly { readonly resource: string; readonly state: string }[] }
}

const states = async () => {
  const { kubernetes } = await hub<Status>('/api/status')
  return Object.fromEntries(kubernetes.kinds.map(({ resource, state }) => [resource, state]))
}
const role = `${namespace}-tapdeck-hub`

test('the hub may list and watch what names and events need, and review tokens; the worker may nothing', async () => {
  const rights = await rightsOf('tapdeck-hub', namespace)
  console.info(`rights of the hub:\n  ${rights.join('\n  ')}`)
  const kinds = [
    'daemonsets.apps',
    'deployments.apps',
    'endpointslices.discovery.k8s.io',
    'events',
    'jobs.batch',
  ]
  const more = ['namespaces', 'nodes', 'pods', 'replicasets.apps', 'services', 'statefulsets.apps']
  const watched = [...kinds, ...more].map((kind) => `${kind} [] [] [list watch]`)
  const link = ['configmaps [] [tapdeck-link] [get patch]', 'secrets [] [tapdeck-link-authority] [get patch]']
  expect(rights).toEqual([...watched, ...link, 'tokenreviews.authentication.k8s.io [] [] [create]'].sort())
  expect(await rightsOf('tapdeck-worker', namespace)).toEqual([])
})

test('a right that is missing: the kind is reported as refused, the others work, and it is watched once granted', async () => {
  const rules = await kubectl('get', 'clusterrole', role, '-o', 'jsonpath={.rules}')
  const narrow = (JSON.parse(rules) as { resources: string[] }[]).filter(
    ({ resources }) => !resources.includes('endpointslices'),
  )
  const patch = (value: string) =>
    kubectl(
      'patch',
      'clusterrole',
      role,
      '--type=json',
      '-p',
      `[{"op":"replace","path":"/rules","value":${value}}]`,
    )
  await patch(JSON.stringify(narrow))
  await kubectl('rollout', 'restart', '-n', namespace, 'deployment/tapdeck-hub')
  await kubectl('rollout', 'status', '-n', namespace, 'deployment/tapdeck-hub', '--timeout=180s')
  await expect
    .poll(states)
    .toMatchObject({ endpointslices: 'refused', pods: 'watching', services: 'watching', events: 'watching' })
  const log = await kubectl('logs', '-n', namespace, 'deployment/tapdeck-hub')
  expect(log.match(/the cluster refuses to list this kind/g)).toHaveLength(1)
  await patch(rules)
  await expect.poll(states).toMatchObject({ endpointslices: 'watching' })
})

test('an API server that is killed and comes back: the watch goes on by itself, and new pods get their names', async () => {
  const start = killApiServer()
  start()
  await expect.poll(() => kubectl('get', '--raw', '/readyz').catch(() => '')).toBe('ok')
  await kubectl('run', 'late', '--image=localhost/busybox:1.38', '--restart=Never', '--', '/bin/sleep', '300')
  const names = async () => {
    const { workloads } = await hub<{ workloads: readonly { name: string }[] }>('/mcp/resolve/workloads', {
      name: 'late',
    })
    return workloads.map(({ name }) => name)
  }
  await expect.poll(names).toEqual(['late'])
  await expect.poll(async () => new Set(Object.values(await states()))).toEqual(new Set(['watching']))
})
