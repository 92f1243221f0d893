import { expect, test } from 'vitest'
import { barriersOf, type PodObject } from './barriers.ts'

const container = { name: 'web' }
const running: PodObject = { spec: { containers: [container] }, status: { phase: 'Running' } }
const withSpec = (spec: Partial<NonNullable<PodObject['spec']>>): PodObject => ({
  ...running,
  spec: { containers: [container], ...spec },
})

test('nothing speaks against a pod that runs in a namespace with the level baseline', () => {
  expect(barriersOf(running, { 'pod-security.kubernetes.io/enforce': 'baseline' })).toEqual({ notes: [] })
  expect(barriersOf(running, undefined)).toEqual({ notes: [] })
})

test.each<[string, PodObject]>([
  ['Pending', { ...running, status: { phase: 'Pending' } }],
  ['being deleted', { ...running, metadata: { deletionTimestamp: new Date() } }],
  ['whole node', withSpec({ hostNetwork: true })],
  ['Windows', withSpec({ os: { name: 'windows' } })],
  ['static pod', { ...running, metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }],
])('a recorder is refused: %s', (reason, pod) => {
  expect(barriersOf(pod, {}).refusal).toContain(reason)
})

test.each<[string, PodObject, Record<string, string>]>([
  ['"restricted"', running, { 'pod-security.kubernetes.io/enforce': 'restricted' }],
  ['runAsNonRoot', withSpec({ securityContext: { runAsNonRoot: true } }), {}],
  [
    'drop all capabilities',
    withSpec({ containers: [{ ...container, securityContext: { capabilities: { drop: ['ALL'] } } }] }),
    {},
  ],
  ['"gvisor"', withSpec({ runtimeClassName: 'gvisor' }), {}],
])('what may go wrong is said before it is tried: %s', (text, pod, labels) => {
  const { refusal, notes } = barriersOf(pod, labels)
  expect(refusal).toBeUndefined()
  expect(notes).toEqual([expect.stringContaining(text)])
})

test('the recorder counts in the limits of the pod only if all of its containers have one', () => {
  const limited = (memory: string) => ({ ...container, resources: { limits: { memory } } })
  const notes = (...containers: NonNullable<PodObject['spec']>['containers']) =>
    barriersOf(withSpec({ containers }), {}).notes
  expect(notes(limited('128Mi'), limited('64Mi'))).toEqual([expect.stringContaining('192 MiB of memory')])
  expect(notes(limited('128Mi'), container)).toEqual([])
  expect(notes(limited('4Gi'))).toEqual([])
})
