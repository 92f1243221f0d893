import { createResolver, parseInventory } from '@tapdeck/inventory'
import { beforeEach, expect, test } from 'vitest'
import { createdEvent, podObject, serviceObject, sliceObject, timeAt } from '../testing/cluster-objects.ts'
import { ClusterNames } from './cluster-names.ts'
import { ClusterState } from './cluster-state.ts'

let names: ClusterNames
let state: ClusterState
let now: number

function open(restored?: ClusterNames): void {
  names = new ClusterNames()
  if (restored) names.restore(parseInventory(JSON.parse(JSON.stringify(restored.inventory))))
  state = new ClusterState({
    names,
    now: () => now,
    coveredUntil: 0,
    changed: () => {},
    event: () => {},
    rejected: (resource, error) => expect.unreachable(`${resource}: ${error}`),
  })
}

beforeEach(() => {
  now = timeAt(0)
  open()
})

const sink = (resource: string) => state.kinds.find((one) => one.resource === resource)!.sink
const ip = '10.244.1.5'
const nameAt = (seconds: number, address = ip) =>
  createResolver(names.inventory).resolve(address, 8080, timeAt(seconds))
const podsAt = (times: readonly number[], address = ip) => times.map((time) => nameAt(time, address).pod)

/** Its container ran for milliseconds around second 12: the start that the kubelet reports is after the first packet. */
const pending = { phase: 'Pending', accepted: 4, start: 12 }
const accepted = podObject('j', { ...pending, network: null })
const isReady = podObject('j', { ...pending, network: 11 })
const ended = { ip, phase: 'Succeeded', accepted: 4, start: 12, ended: 12, network: null }
const hasEnded = podObject('j', ended)

test.each([
  ['before its pod', ['event', 'accepted', 'ended']],
  ['between', ['accepted', 'event', 'ended']],
  ['last', ['accepted', 'ended', 'event']],
])(
  'a pod whose address is first reported at its end begins when its container was created, the event comes %s',
  (_, order) => {
    const put = {
      event: () => sink('events').put(createdEvent('j', 11)),
      accepted: () => sink('pods').put(accepted),
      ended: () => sink('pods').put(hasEnded),
    }
    for (const step of order) put[step as keyof typeof put]()
    expect(podsAt([10.9, 11.995, 12.1, 13])).toEqual([undefined, 'pod-j', 'pod-j', undefined])
  },
)

test('a container that ended in the second before its reported start has a name when it was created', () => {
  sink('events').put(createdEvent('j', 11))
  sink('pods').put(podObject('j', { ...ended, ended: 11 }))
  expect(podsAt([10.9, 11.995, 12])).toEqual([undefined, 'pod-j', undefined])
})

test('a network that was ready before the address was reported counts', () => {
  for (const one of [accepted, isReady, hasEnded]) sink('pods').put(one)
  expect(podsAt([10.9, 11.995, 12.1])).toEqual([undefined, 'pod-j', 'pod-j'])
})

test.each([
  ['and no other was reported', [], 12],
  ['and another became ready', [podObject('j', { ...pending, network: 9 })], 9],
])('a network that was given up does not count, %s', (_, others, begin) => {
  const first = podObject('j', { ...pending, network: 5 })
  for (const one of [first, accepted, ...others, hasEnded]) sink('pods').put(one)
  expect(podsAt([6, begin - 0.1, begin])).toEqual([undefined, undefined, 'pod-j'])
})

test('a container that was created again counts from the last time, because it may have another address since then', () => {
  sink('events').put(createdEvent('j', 5))
  sink('pods').put(accepted)
  sink('events').put(createdEvent('j', 11, 2))
  sink('pods').put(hasEnded)
  expect(podsAt([6, 10.9, 11])).toEqual([undefined, undefined, 'pod-j'])
})

test('of several containers the first counts, and of several events of a container the last', () => {
  const metadata = (uid: string) => ({ metadata: { uid, name: uid, namespace: 'shop' } })
  const other = { kind: 'Pod', name: 'pod-j', uid: 'j', fieldPath: 'spec.containers{other}' }
  sink('events').put(createdEvent('j', 8, 1, metadata('again')))
  sink('events').put(createdEvent('j', 5, 1, metadata('first')))
  sink('events').put(createdEvent('j', 10, 1, { ...metadata('other'), involvedObject: other }))
  for (const one of [accepted, hasEnded]) sink('pods').put(one)
  expect(podsAt([6, 7.9, 8])).toEqual([undefined, undefined, 'pod-j'])
})

test('before any time that the cluster reported, a pod has no name', () => {
  for (const one of [accepted, hasEnded]) sink('pods').put(one)
  expect(podsAt([11.995, 12])).toEqual([undefined, 'pod-j'])
})

test.each([
  ['from before the pod was accepted', 1, 4, {}],
  ['from long before its start', 1, 40, { start: 100, ended: 100 }],
])('an event %s counts only as far as it can be true', (_, created, begin, more) => {
  sink('events').put(createdEvent('j', created))
  sink('pods').put(podObject('j', { ...ended, ...more }))
  expect(podsAt([begin - 0.1, begin])).toEqual([undefined, 'pod-j'])
})

test('an event takes no address from the pod that had it, whether its end is known or not', () => {
  sink('pods').put(podObject('before', { ip, start: 0 }))
  sink('events').put(createdEvent('j', 5))
  sink('pods').put(hasEnded)
  expect(podsAt([6, 11.9, 12])).toEqual(['pod-before', 'pod-before', 'pod-j'])
  sink('pods').put(podObject('before', { ip, start: 0, phase: 'Succeeded', ended: 9 }))
  sink('pods').put(hasEnded)
  expect(podsAt([6, 8.9, 9, 11.9])).toEqual(['pod-before', 'pod-before', 'pod-j', 'pod-j'])
  sink('pods').remove('before', podObject('before', { ip, phase: 'Succeeded', ended: 9 }))
  expect(podsAt([6, 11.9])).toEqual(['pod-before', 'pod-j'])
})

test('an event takes no address from a pod that is gone', () => {
  sink('pods').put(podObject('before', { ip, start: 0 }))
  now = timeAt(20)
  sink('pods').remove('before', podObject('before', { ip, phase: 'Succeeded', ended: 9 }))
  sink('events').put(createdEvent('j', 5))
  sink('pods').put(hasEnded)
  expect(podsAt([6, 8.9, 9, 11.9])).toEqual(['pod-before', 'pod-before', 'pod-j', 'pod-j'])
})

test.each([
  ['of another component', { reportingComponent: 'someone' }],
  ['of another reason', { reason: 'Scheduled' }],
  ['of the pod as a whole', { involvedObject: { kind: 'Pod', name: 'pod-j', uid: 'j' } }],
])('an event %s does not move the begin', (_, more) => {
  sink('events').put(createdEvent('j', 11, 1, more))
  for (const one of [accepted, hasEnded]) sink('pods').put(one)
  expect(podsAt([11.995, 12])).toEqual([undefined, 'pod-j'])
})

test('events that the cluster has forgotten are forgotten, and the pod stays as it was', () => {
  sink('events').put(createdEvent('j', 11))
  sink('events').put(createdEvent('k', 11))
  for (const one of [accepted, hasEnded]) sink('pods').put(one)
  sink('events').remove('created-j', createdEvent('j', 11))
  sink('events').keepOnly(new Set())
  sink('pods').put(hasEnded)
  expect(podsAt([11.995])).toEqual(['pod-j'])
  sink('pods').put(podObject('k', { ...ended, ip: '10.244.1.6' }))
  expect(podsAt([11.995], '10.244.1.6')).toEqual([undefined])
})

test('an address that the last report leaves out was of the pod until it ended', () => {
  sink('pods').put(podObject('a', { ip }))
  sink('pods').put(podObject('a', { phase: 'Failed', ended: 20 }))
  expect(podsAt([15, 20.9, 21])).toEqual(['pod-a', 'pod-a', undefined])
  sink('pods').remove('a', podObject('a', { phase: 'Failed', ended: 20 }))
  expect(podsAt([15, 20.9, 21])).toEqual(['pod-a', 'pod-a', undefined])
})

test('an address that a running pod loses was of the pod until then', () => {
  sink('pods').put(podObject('a', { ip }))
  now = timeAt(30)
  sink('pods').put(podObject('a', { start: 0, network: null }))
  expect(podsAt([29, 30])).toEqual(['pod-a', undefined])
})

test('the second address of a pod does not begin with a run of its container at the first, also after a restart of the hub', () => {
  sink('events').put(createdEvent('a', 0))
  sink('pods').put(podObject('a', { ip }))
  now = timeAt(60)
  const moved = podObject('a', { ip: '10.244.1.9', start: 60, ended: 59, restarts: 1 })
  const before = { state: { terminated: { reason: 'Error', startedAt: '2026-01-01T12:00:00Z' } } }
  const lastState = { lastState: before.state }
  const [status] = moved.status.containerStatuses
  const later = {
    ...moved,
    status: { ...moved.status, containerStatuses: [{ ...status, ...lastState }] },
  }
  for (const one of [moved, later]) sink('pods').put(one)
  expect(podsAt([30, 59, 60], '10.244.1.9')).toEqual([undefined, undefined, 'pod-a'])
  open(names)
  now = timeAt(90)
  sink('pods').put(later)
  expect(podsAt([30, 59, 60, 95], '10.244.1.9')).toEqual([undefined, undefined, 'pod-a', 'pod-a'])
  expect(podsAt([30, 59, 60])).toEqual(['pod-a', 'pod-a', undefined])
})

test('an endpoint begins with its pod, also if the begin turns out to be earlier', () => {
  sink('services').put(serviceObject('web'))
  sink('pods').put(podObject('a', { ip, start: 12 }))
  sink('endpointslices').put(sliceObject('web', [{ uid: 'a', ip }]))
  expect(nameAt(11)).toEqual({})
  sink('events').put(createdEvent('a', 11))
  expect(nameAt(11)).toMatchObject({ pod: 'pod-a', svc: 'web' })
})
