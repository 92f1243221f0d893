import { expect, test } from 'vitest'
import { timingParts } from './timing-parts.ts'

const named = (parts: ReturnType<typeof timingParts>) => parts.map(({ id, ms }) => [id, ms])

test('waiting and receiving add up to the whole', () => {
  const parts = timingParts({ latency_ms: 20, ttfb_ms: 15 })
  expect(named(parts)).toEqual([
    ['waiting', 15],
    ['receiving', 5],
  ])
  expect(parts[1]).toMatchObject({ from: 0.75, share: 0.25 })
})

test('network time is a part of its own where both ends were seen', () => {
  const both_ends = { client_node: 'a', server_node: 'b', client_ms: 20, server_ms: 16, network_ms: 4 }
  const parts = timingParts({
    latency_ms: 20,
    ttfb_ms: 20,
    both_ends: { ...both_ends, other_id: 'x', clock_difference_ms: 0 },
  })
  expect(named(parts)).toEqual([
    ['network', 4],
    ['waiting', 16],
  ])
})

test('a call without a response has no parts', () => {
  expect(timingParts({})).toEqual([])
})
