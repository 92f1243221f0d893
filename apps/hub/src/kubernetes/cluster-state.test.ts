import { createResolver, parseInventory } from '@tapdeck/inventory'
import type { RecordedEvent } from '@tapdeck/recording'
import { beforeEach, expect, test } from 'vitest'
import {
  nodeObject,
  ownedObject,
  podObject,
  serviceObject,
  sliceObject,
  timeAt,
  workloadObject,
} from '../testing/cluster-objects.ts'
import { ClusterNames } from './cluster-names.ts'
import { ClusterState } from './cluster-state.ts'

let names: ClusterNames
let state: ClusterState
let events: RecordedEvent[]
let now: number
let rejected: string[]

function open(): void {
  events = []
  rejected = []
  now = timeAt(0)
  state = new ClusterState({
    names,
    now: () => now,
    coveredUntil: timeAt(0),
    changed: () => {},
    event: (more) => void events.push(...more),
    rejected: (resource) => void rejected.push(resource),
  })
}

beforeEach(() => {
  names = new ClusterNames()
  open()
})

const sink = (resource: string) => state.kinds.find((one) => one.resource === resource)!.sink
const listed = (...resources: string[]) => {
  for (const resource of resources) sink(resource).keepOnly(new Set())
}
/** What crosses the wire and the disk is what counts. */
const resolver = () => createResolver(parseInventory(JSON.parse(JSON.stringify(names.inventory))))
const nameAt = (ip: string, seconds: number, port = 8080) => resolver().resolve(ip, port, timeAt(seconds))

test('a reused address has the name of its owner at each time, also if the end of the first is noticed late', () => {
  sink('pods').put(podObject('a', { ip: '10.244.1.5', start: 0 }))
  now = timeAt(60)
  sink('pods').put(podObject('b', { ip: '10.244.1.5', start: 50 }))
  sink('pods').remove('a', podObject('a', { ip: '10.244.1.5', start: 0, phase: 'Failed', ended: 40 }))
  const pods = [-5, 0, 39, 40, 45, 50, 70].map((seconds) => nameAt('10.244.1.5', seconds).pod)
  expect(pods).toEqual([undefined, 'pod-a', 'pod-a', 'pod-a', undefined, 'pod-b', 'pod-b'])
})

test('a completed job has its address until its last container ended, though its pod still exists', () => {
  sink('pods').put(podObject('j', { ip: '10.244.1.6', start: 0 }))
  sink('pods').put(podObject('j', { ip: '10.244.1.6', start: 0, phase: 'Succeeded', ended: 10 }))
  expect([5, 10, 12].map((seconds) => nameAt('10.244.1.6', seconds).pod)).toEqual([
    'pod-j',
    'pod-j',
    undefined,
  ])
  now = timeAt(100)
  sink('pods').remove('j', podObject('j', { ip: '10.244.1.6', phase: 'Succeeded', ended: 10 }))
  expect([5, 12].map((seconds) => nameAt('10.244.1.6', seconds).pod)).toEqual(['pod-j', undefined])
})

test('a restart of a container does not move the begin of its pod; a new sandbox gives it a second address', () => {
  sink('pods').put(podObject('a', { ip: '10.244.1.5', start: 0 }))
  const again = podObject('a', { ip: '10.244.1.5', start: 30, ended: 29, restarts: 1 })
  sink('pods').put(again)
  expect(nameAt('10.244.1.5', 5).pod).toBe('pod-a')
  now = timeAt(60)
  sink('pods').put(podObject('a', { ip: '10.244.1.9', start: 60 }))
  expect(nameAt('10.244.1.5', 59).pod).toBe('pod-a')
  expect(nameAt('10.244.1.5', 61)).toEqual({ node: 'node1' })
  expect(nameAt('10.244.1.9', 61).pod).toBe('pod-a')
})

test('host network: the pod by its port, else the node; a host port leads to its pod; two addresses and IPv6', () => {
  sink('nodes').put(nodeObject('node1', '192.0.2.1'))
  sink('pods').put(podObject('h', { ip: '192.0.2.1', hostNetwork: true, containerPort: 9100 }))
  sink('pods').put(podObject('p', { ips: ['10.244.1.7', 'FD00::7'], containerPort: 80, hostPort: 8081 }))
  expect(nameAt('192.0.2.1', 5, 9100)).toMatchObject({ pod: 'pod-h', node: 'node1' })
  expect(nameAt('192.0.2.1', 5, 40_000)).toEqual({ node: 'node1' })
  expect(nameAt('192.0.2.1', 5, 8081).pod).toBe('pod-p')
  expect(nameAt('10.244.1.7', 5).pod).toBe('pod-p')
  expect(nameAt('fd00::7', 5).pod).toBe('pod-p')
  expect(nameAt('10.244.1.1', 5)).toEqual({ node: 'node1' })
})

test('services: cluster address, node port, headless, endpoints that end with their pod', () => {
  sink('nodes').put(nodeObject('node1', '192.0.2.1'))
  sink('services').put(serviceObject('web', { ports: [{ port: 80, nodePort: 30_080 }] }))
  sink('services').put(serviceObject('db', { clusterIPs: ['None'] }))
  sink('services').put(
    serviceObject('out', { type: 'ExternalName', clusterIPs: [], externalName: 'x.example' }),
  )
  sink('pods').put(podObject('a', { ip: '10.244.1.5' }))
  sink('endpointslices').put(sliceObject('web', [{ uid: 'a', ip: '10.244.1.5' }]))
  sink('endpointslices').put(sliceObject('db', [{ ip: '10.0.9.9' }]))
  expect(nameAt('10.96.0.1', 5, 80).svc).toBe('web')
  expect(nameAt('192.0.2.1', 5, 30_080)).toMatchObject({ svc: 'web', node: 'node1' })
  expect(nameAt('10.244.1.5', 5)).toMatchObject({ pod: 'pod-a', svc: 'web' })
  expect(nameAt('10.0.9.9', 5)).toEqual({ svc: 'db', ns: 'shop' })
  expect(names.inventory.services.find(({ name }) => name === 'out')?.externalName).toBe('x.example')
  now = timeAt(30)
  sink('pods').remove('a', podObject('a', { ip: '10.244.1.5', phase: 'Succeeded', ended: 20 }))
  sink('pods').put(podObject('b', { ip: '10.244.1.5', start: 25 }))
  // The slice does not know yet that the pod is gone.
  expect(nameAt('10.244.1.5', 26)).toMatchObject({ pod: 'pod-b' })
  expect(nameAt('10.244.1.5', 26).svc).toBeUndefined()
  expect(nameAt('10.244.1.5', 10).svc).toBe('web')
})

test('of two services at one port, the one with an address counts, in whichever order they are learned, and after a restart', () => {
  const put = {
    pod: () => sink('pods').put(podObject('a', { ip: '10.244.1.5', start: 10 })),
    web: () => sink('services').put(serviceObject('web')),
    direct: () => sink('services').put(serviceObject('a-direct', { clusterIPs: ['None'] })),
    webSlice: () => sink('endpointslices').put(sliceObject('web', [{ uid: 'a', ip: '10.244.1.5' }])),
    directSlice: () => sink('endpointslices').put(sliceObject('a-direct', [{ uid: 'a', ip: '10.244.1.5' }])),
  }
  const orders: (keyof typeof put)[][] = [
    ['pod', 'web', 'direct', 'webSlice', 'directSlice'],
    ['directSlice', 'pod', 'webSlice', 'direct', 'web'],
    ['webSlice', 'direct', 'pod', 'directSlice', 'web'],
    ['directSlice', 'webSlice', 'web', 'direct', 'pod'],
  ]
  for (const order of orders) {
    names = new ClusterNames()
    open()
    now = timeAt(20)
    for (const object of order) put[object]()
    expect(nameAt('10.244.1.5', 15), order.join()).toMatchObject({ pod: 'pod-a', svc: 'web' })
    const kept = parseInventory(JSON.parse(JSON.stringify(names.inventory)))
    names = new ClusterNames()
    names.restore(kept)
    open()
    now = timeAt(60)
    for (const object of [...order].reverse()) put[object]()
    for (const seconds of [15, 70]) expect(nameAt('10.244.1.5', seconds).svc, order.join()).toBe('web')
  }
})

test('the chain of owners, whichever object comes first', () => {
  const owner = { kind: 'ReplicaSet', name: 'web-1', uid: 'rs' }
  sink('pods').put(podObject('a', { ip: '10.244.1.5', owner }))
  expect(nameAt('10.244.1.5', 5)).toMatchObject({ workload: 'web-1', workload_kind: 'ReplicaSet' })
  sink('replicasets').put(ownedObject('rs', { kind: 'Deployment', name: 'web', uid: 'd' }))
  expect(nameAt('10.244.1.5', 5)).toMatchObject({ workload: 'web', workload_kind: 'Deployment' })
  const job = { kind: 'Job', name: 'backup-1', uid: 'job' }
  sink('jobs').put(ownedObject('job', { kind: 'CronJob', name: 'backup', uid: 'c' }))
  sink('pods').put(podObject('j', { ip: '10.244.1.6', owner: job }))
  expect(nameAt('10.244.1.6', 5)).toMatchObject({ workload: 'backup', workload_kind: 'CronJob' })
})

test('a hub that starts again has the names of before, and ends what a list shows to be gone', () => {
  sink('pods').put(podObject('a', { ip: '10.244.1.5' }))
  sink('pods').put(podObject('b', { ip: '10.244.1.6' }))
  sink('services').put(serviceObject('web'))
  sink('endpointslices').put(sliceObject('web', [{ uid: 'a', ip: '10.244.1.5' }]))
  const kept = parseInventory(JSON.parse(JSON.stringify(names.inventory)))
  names = new ClusterNames()
  names.restore(kept)
  open()
  expect(nameAt('10.244.1.5', 5)).toMatchObject({ pod: 'pod-a', svc: 'web' })
  now = timeAt(100)
  sink('pods').put(podObject('b', { ip: '10.244.1.6' }))
  sink('pods').keepOnly(new Set(['b']))
  sink('endpointslices').put(sliceObject('web', []))
  sink('endpointslices').keepOnly(new Set(['slice-web']))
  expect([5, 99, 101].map((seconds) => nameAt('10.244.1.5', seconds).pod)).toEqual([
    'pod-a',
    'pod-a',
    undefined,
  ])
  expect([5, 101].map((seconds) => nameAt('10.244.1.5', seconds).svc)).toEqual(['web', undefined])
  expect(nameAt('10.244.1.6', 101).pod).toBe('pod-b')
  names.prune(timeAt(200))
  expect(names.inventory.pods.map(({ name }) => name)).toEqual(['pod-b'])
})

test('events: phases, an OOM kill, rollouts, node conditions, endpoints; nothing of what was there before', () => {
  sink('pods').put(podObject('a', { ip: '10.244.1.5', phase: 'Pending' }))
  sink('nodes').put(nodeObject('node1', '192.0.2.1'))
  sink('deployments').put(workloadObject('web', 'v1', 2))
  sink('endpointslices').put(sliceObject('web', [{ uid: 'a', ip: '10.244.1.5', ready: false }]))
  listed('jobs')
  for (const kind of ['pods', 'nodes', 'deployments', 'endpointslices'])
    sink(kind).keepOnly(new Set(['a', 'node-node1', 'd-web', 'slice-web']))
  expect(events).toEqual([])
  const types = () => events.splice(0).map(({ type, name }) => `${type} ${name}`)
  now = timeAt(10)
  sink('pods').put(podObject('a', { ip: '10.244.1.5' }))
  expect(types()).toEqual(['pod_phase pod-a'])
  sink('pods').put(podObject('a', { ip: '10.244.1.5', ended: 9, reason: 'OOMKilled', restarts: 1 }))
  expect(events[0]).toMatchObject({
    ts: timeAt(9),
    type: 'container_ended',
    reason: 'OOMKilled',
    restarts: 1,
  })
  expect(types()).toEqual(['container_ended pod-a', 'container_restarted pod-a'])
  sink('pods').put(podObject('a', { ip: '10.244.1.5', ended: 9, reason: 'OOMKilled', restarts: 1 }))
  expect(types()).toEqual([])
  sink('deployments').put(workloadObject('web', 'v2', 1))
  sink('deployments').put(workloadObject('web', 'v2', 2))
  expect(types()).toEqual(['rollout_started web', 'rollout_completed web'])
  sink('nodes').put(nodeObject('node1', '192.0.2.1', 'Unknown'))
  expect(types()).toEqual(['node_condition node1'])
  sink('endpointslices').put(sliceObject('web', [{ uid: 'a', ip: '10.244.1.5' }]))
  sink('endpointslices').put(sliceObject('web', []))
  expect(types()).toEqual(['endpoint_added web', 'endpoint_removed web'])
})

test('pods of a workload that end without a change of its specification are no rollout', () => {
  sink('deployments').put(workloadObject('web', 'v1', 2))
  sink('deployments').keepOnly(new Set(['d-web']))
  sink('deployments').put(workloadObject('web', 'v1', 1))
  sink('deployments').put(workloadObject('web', 'v1', 2))
  expect(events).toEqual([])
})

test('an event of the cluster is passed on once for each time it happens, and not if an earlier run had it', () => {
  const event = (count: number, seconds: number) => ({
    metadata: { uid: 'e', name: 'e', namespace: 'shop' },
    involvedObject: { kind: 'Pod', namespace: 'shop', name: 'pod-a' },
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting',
    count,
    lastTimestamp: new Date(timeAt(seconds)).toISOString(),
  })
  for (const [count, seconds] of [
    [1, -5],
    [2, 5],
    [2, 5],
    [3, 9],
  ] as const)
    sink('events').put(event(count, seconds))
  expect(events.map(({ ts, count }) => [ts, count])).toEqual([
    [timeAt(5), 2],
    [timeAt(9), 3],
  ])
  expect(events[0]).toMatchObject({
    type: 'kubernetes_event',
    name: 'pod-a',
    namespace: 'shop',
    severity: 'warning',
  })
})

test('an object that cannot be read is counted, and the others count', () => {
  sink('pods').put({ metadata: { uid: 'x' } })
  sink('pods').put(podObject('a', { ip: '10.244.1.5' }))
  expect(rejected).toEqual(['pods'])
  expect(nameAt('10.244.1.5', 5).pod).toBe('pod-a')
})

test('an address of a pod that is not known yet is on the node whose block it is of', () => {
  sink('nodes').put(nodeObject('node1', '192.0.2.1'))
  expect(nameAt('10.244.1.77', 5)).toEqual({ node: 'node1' })
  expect(nameAt('10.244.1.0', 5)).toEqual({ node: 'node1' })
  sink('pods').put(podObject('a', { ip: '10.244.1.5' }))
  expect(nameAt('10.244.1.77', 5)).toEqual({ node: 'node1' })
})

test.each([
  ['before its pod', ['nodes', 'pods']],
  ['after its pod', ['pods', 'nodes']],
] as const)(
  'a pod outside of the block of its node, listed %s, shows that blocks are not used',
  (_, order) => {
    const objects = { nodes: nodeObject('node1', '192.0.2.1'), pods: podObject('a', { ip: '10.244.9.5' }) }
    for (const resource of order) sink(resource).put(objects[resource])
    expect(nameAt('10.244.1.77', 5)).toEqual({})
    expect(nameAt('192.0.2.1', 5)).toEqual({ node: 'node1' })
  },
)
