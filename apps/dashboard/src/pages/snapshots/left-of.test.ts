import { expect, test } from 'vitest'
import { leftOf } from './left-of.ts'

const node = (name: string, status: 'pending' | 'in_progress' | 'completed' | 'failed') => ({
  name,
  status,
  size_bytes: 0,
  packet_count: 0,
  dropped_packets: 0,
})

test('what is left names the nodes that have not given their part', () => {
  expect(leftOf({ nodes: [] })).toBeUndefined()
  expect(leftOf({ nodes: [node('a', 'completed'), node('b', 'in_progress'), node('c', 'failed')] })).toBe(
    '2 of 3 nodes are done. Left: b.',
  )
  const many = ['a', 'b', 'c', 'd', 'e'].map((name) => node(name, 'pending'))
  expect(leftOf({ nodes: many })).toBe('0 of 5 nodes are done. Left: a, b, c and 2 more.')
  expect(leftOf({ nodes: [node('a', 'completed')] })).toContain('All nodes are done')
})
