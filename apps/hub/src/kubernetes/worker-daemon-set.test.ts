import { beforeEach, expect, test } from 'vitest'
import { nodeObject, timeAt } from '../testing/cluster-objects.ts'
import { nodeRecord } from './node-record.ts'
import { WorkerDaemonSet } from './worker-daemon-set.ts'

const NAMESPACE = 'tapdeck'
const NAME = 'tapdeck-worker'
let workers: WorkerDaemonSet
beforeEach(() => {
  workers = new WorkerDaemonSet(`${NAMESPACE}/${NAME}`)
})

const put = (kind: string, object: object) => workers.sinks[kind]!.put(object)
const meta = (name: string) => ({ uid: `uid-${name}`, name, namespace: NAMESPACE })
const owner = { kind: 'DaemonSet', name: NAME, uid: 'ds', controller: true }
const pod = (name: string, spec: object, status: object) => ({
  metadata: { ...meta(name), ownerReferences: [owner] },
  ...{ spec, status },
})
const daemonSet = (spec: object = {}) => ({ metadata: meta(NAME), spec: { template: { spec } } })
const warning = (kind: string, name: string, reason: string, message: string, seconds = 0) => ({
  ...{ metadata: meta(`${reason}-${seconds}`), type: 'Warning', reason, message },
  involvedObject: { kind, name, namespace: NAMESPACE },
  lastTimestamp: new Date(timeAt(seconds)).toISOString(),
})
const waiting = (reason: string, message: string) => ({
  phase: 'Pending',
  containerStatuses: [{ state: { waiting: { reason, message } } }],
})
const node = (taints: readonly object[] = []) => {
  const object = nodeObject('n1', '192.0.2.1')
  return nodeRecord({ ...object, spec: { ...object.spec, taints } })
}
const reason = (taints?: readonly object[]) => workers.reasonOf(node(taints))

test('nothing is known before the cluster was listed; then that there is no DaemonSet', () => {
  expect(reason()).toBeUndefined()
  workers.sinks.daemonsets!.keepOnly(new Set())
  expect(reason()).toBe('there is no DaemonSet tapdeck/tapdeck-worker')
})

test('a pod that policy refuses: the event of the DaemonSet, the last one', () => {
  put('daemonsets', daemonSet())
  expect(reason()).toBe('the DaemonSet tapdeck/tapdeck-worker has no pod on it')
  put('events', warning('DaemonSet', NAME, 'FailedCreate', 'violates PodSecurity "restricted:latest"', 9))
  put('events', warning('DaemonSet', NAME, 'FailedCreate', 'an earlier one', 5))
  put('events', warning('DaemonSet', 'other', 'FailedCreate', 'of another', 20))
  expect(reason()).toBe(
    'the DaemonSet tapdeck/tapdeck-worker has no pod on it: FailedCreate: violates PodSecurity "restricted:latest"',
  )
  workers.sinks.events!.keepOnly(new Set())
  expect(reason()).toBe('the DaemonSet tapdeck/tapdeck-worker has no pod on it')
})

test('a taint that is not tolerated, by the rules of Kubernetes', () => {
  const gpu = { key: 'gpu', value: 'a', effect: 'NoSchedule' }
  put('daemonsets', daemonSet())
  expect(reason([gpu])).toBe(
    'the DaemonSet tapdeck/tapdeck-worker does not tolerate the taint gpu=a:NoSchedule of the node',
  )
  for (const harmless of [
    { ...gpu, effect: 'PreferNoSchedule' },
    { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
  ])
    expect(reason([harmless])).not.toContain('taint')
  for (const [toleration, isTolerated] of [
    [{ operator: 'Exists' }, true],
    [{ key: 'gpu', value: 'a' }, true],
    [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }, true],
    [{ key: 'gpu', value: 'b' }, false],
    [{ key: 'gpu', operator: 'Exists', effect: 'NoExecute' }, false],
  ] as const) {
    put('daemonsets', daemonSet({ tolerations: [toleration] }))
    expect([toleration, !reason([gpu])!.includes('taint')]).toEqual([toleration, isTolerated])
  }
  put('daemonsets', daemonSet({ affinity: { nodeAffinity: {} } }))
  expect(reason()).toContain('its affinity may exclude the node')
})

test('a nodeSelector of the DaemonSet: the label that the node lacks, before its taints', () => {
  put('daemonsets', daemonSet({ nodeSelector: { 'kubernetes.io/hostname': 'n2' } }))
  expect(reason([{ key: 'gpu', effect: 'NoSchedule' }])).toBe(
    'the DaemonSet tapdeck/tapdeck-worker has a nodeSelector: it runs only on nodes with the label kubernetes.io/hostname=n2, and this node has no label kubernetes.io/hostname',
  )
  put('daemonsets', daemonSet({ nodeSelector: {} }))
  expect(reason()).toBe('the DaemonSet tapdeck/tapdeck-worker has no pod on it')
})

test('an image that is not pulled, with what the kubelet says; a pod on another node says nothing', () => {
  put('daemonsets', daemonSet())
  put('pods', pod('w-2', { nodeName: 'n2' }, waiting('ImagePullBackOff', 'of another node')))
  expect(reason()).toContain('has no pod on it')
  const name = `${NAME}-1`
  put('pods', pod(name, { nodeName: 'n1' }, waiting('ErrImagePull', 'not found')))
  expect(reason()).toBe('its container does not run: ErrImagePull: not found')
  put('events', warning('Pod', name, 'FailedMount', 'no such secret'))
  put('pods', pod(name, { nodeName: 'n1' }, waiting('ContainerCreating', '')))
  expect(reason()).toBe('its container does not run: ContainerCreating (FailedMount: no such secret)')
})

test('a pod that is not scheduled is found by the node that it is for; one that runs is named', () => {
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }]
  const spec = {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  }
  const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no memory' }
  put('pods', pod('w', spec, { phase: 'Pending', conditions: [unscheduled] }))
  expect(reason()).toBe('its pod is not scheduled: Unschedulable: no memory')
  put('pods', pod('w', { nodeName: 'n1' }, { phase: 'Running' }))
  expect(reason()).toBe('its pod w runs and is not connected; the log of the pod says why')
  workers.sinks.pods!.remove('uid-w', {})
  expect(reason()).toBeUndefined()
})

test('pods and events of others are not kept, and a long reason is cut', () => {
  put('pods', { metadata: meta('x'), spec: { nodeName: 'n1' }, status: { phase: 'Running' } })
  put('pods', {
    metadata: { ...pod('y', {}, {}).metadata, namespace: 'other' },
    spec: { nodeName: 'n1' },
    status: {},
  })
  expect(reason()).toBeUndefined()
  put('daemonsets', daemonSet())
  put('events', warning('DaemonSet', NAME, 'FailedCreate', 'x'.repeat(5000)))
  expect(reason()!.length).toBe(500)
})
