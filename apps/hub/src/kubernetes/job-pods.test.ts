import { expect, test } from 'vitest'
import { endOfPod, lastPod, podList, stateOfPod } from './job-pods.ts'

const pod = (status: object, metadata: object = {}) =>
  podList.parse({ items: [{ metadata, spec: { nodeName: 'node1' }, status }] }).items[0]!
const container = (state: object) => ({ containerStatuses: [{ state }] })

test.each([
  ['runs', { phase: 'Running', ...container({ running: {} }) }, undefined],
  ['is not started', { phase: 'Pending' }, 'its pod is not started'],
  [
    'finds no node',
    {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/3 nodes are available',
        },
      ],
    },
    'its pod is not scheduled: Unschedulable: 0/3 nodes are available',
  ],
  [
    'finds no image',
    { phase: 'Pending', ...container({ waiting: { reason: 'ErrImagePull', message: 'not found' } }) },
    'its container does not run: ErrImagePull: not found',
  ],
  [
    'has no memory',
    { phase: 'Failed', ...container({ terminated: { exitCode: 137, reason: 'OOMKilled' } }) },
    'its pod ended with status 137 (OOMKilled); Kubernetes makes another one',
  ],
])('a pod that %s', (_, status, reason) => {
  expect(stateOfPod(pod(status))).toEqual(
    reason === undefined ? { kind: 'working' } : { kind: 'waiting', reason },
  )
})

test('a pod that is being deleted, such as on a lost node, names its node', () => {
  const deleted = pod({ phase: 'Running' }, { deletionTimestamp: '2026-01-01T00:00:00Z' })
  expect(stateOfPod(deleted)).toMatchObject({ reason: 'its pod on node1 is being deleted' })
})

test('the end of a pod has the last line of its log, or why the cluster ended it', () => {
  const message = '{"msg":"dissecting"}\nS3 answers 403 AccessDenied. Check the credentials.\n'
  const failed = { phase: 'Failed', ...container({ terminated: { exitCode: 1, reason: 'Error', message } }) }
  expect(endOfPod(pod(failed))).toBe(
    'its pod ended with status 1 (Error): S3 answers 403 AccessDenied. Check the credentials.',
  )
  expect(endOfPod(pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory' }))).toBe(
    'its pod ended: Evicted: The node was low on memory',
  )
})

test('of several pods, the one that was made last counts', () => {
  const items = ['2026-01-01T00:00:02Z', '2026-01-01T00:00:10Z', '2026-01-01T00:00:01Z'].map(
    (creationTimestamp) => ({
      ...{ metadata: { creationTimestamp }, status: {} },
    }),
  )
  expect(lastPod(podList.parse({ items }))?.metadata.creationTimestamp).toBe('2026-01-01T00:00:10Z')
  expect(lastPod({ items: [] })).toBeUndefined()
})
