import { expect, test } from 'vitest'
import { detailOf, subjectOf, toneOf } from './event-row.ts'

const event = { ts: 1, kind: 'os', type: 'process_start', node: 'n1', pid: 7, comm: 'curl' } as const

test('an event is about a pod or a process, and says the rest on one line', () => {
  expect(subjectOf(event)).toBe('curl')
  expect(subjectOf({ ...event, pod: 'cart-0' })).toBe('cart-0')
  expect(subjectOf({ ts: 1, kind: 'cluster', type: 'x' })).toBe('')
  expect(detailOf(event)).toBe('pid 7, comm curl')
})

test('failures and ends stand out', () => {
  expect(['pod_oom_killed', 'pod_removed', 'process_start'].map((type) => toneOf({ type }))).toEqual([
    'bad',
    'warn',
    'plain',
  ])
})
