import { expect, test } from 'vitest'
import { apply, hub, kubectl } from './test-cluster.ts'

type Event = Readonly<Record<string, unknown>>

const eventsOf = async (name: string) =>
  (
    await hub<{ events: readonly Event[] }>('/mcp/events', {
      kind: 'cluster',
      name,
      limit: '500',
      order: 'oldest',
    })
  ).events

test('a pod that runs out of memory: the kill with its reason, the restart, and what the cluster reports', async () => {
  await apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'greedy' },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: 'localhost/busybox:1.38',
          command: ['/bin/sh', '-c', 'sleep 1; tail /dev/zero'],
          resources: { limits: { memory: '24Mi' } },
        },
      ],
    },
  })
  await expect
    .poll(async () => (await eventsOf('greedy')).map(({ type, reason }) => `${type} ${reason ?? ''}`.trim()))
    .toEqual(expect.arrayContaining(['pod_added', 'container_ended OOMKilled', 'kubernetes_event BackOff']))
  const [killed] = (await eventsOf('greedy')).filter(({ type }) => type === 'container_ended')
  expect(killed).toMatchObject({
    namespace: 'default',
    container: 'main',
    reason: 'OOMKilled',
    exit_code: 137,
  })
  await kubectl('delete', 'pod', 'greedy', '--now')
  await expect.poll(async () => (await eventsOf('greedy')).map(({ type }) => type)).toContain('pod_removed')
})

test('a rollout: its start with the pods that come and go, its end, and the endpoints of the service', async () => {
  const before = (await eventsOf('web')).length
  await kubectl('set', 'env', 'deployment/web', 'VERSION=2')
  await kubectl('rollout', 'status', 'deployment/web', '--timeout=180s')
  const news = async () => (await eventsOf('web')).slice(before)
  const types = async () => [
    ...new Set((await news()).filter(({ name }) => name === 'web').map(({ type }) => type)),
  ]
  await expect
    .poll(types)
    .toEqual(
      expect.arrayContaining(['rollout_started', 'endpoint_added', 'endpoint_removed', 'rollout_completed']),
    )
  const order = (await news()).map(({ type }) => type)
  expect(order.indexOf('rollout_started')).toBeLessThan(order.lastIndexOf('rollout_completed'))
})
