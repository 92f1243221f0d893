import { expect, test } from 'vitest'
import { partOf, ringRange, ringTracks, timeAt } from './ring-track.ts'

const nodes = [
  {
    name: 'a',
    oldest_ts: 1000,
    newest_ts: 11_000,
    gaps: [
      { from_ts: 0, to_ts: 900, reason: 'not_started' },
      { from_ts: 500, to_ts: 2000, reason: 'killed' },
      { from_ts: 6000, to_ts: 7000, reason: 'disk_full' },
    ],
  },
  { name: 'b', oldest_ts: 6000, newest_ts: 11_000 },
  { name: 'c', oldest_ts: null, newest_ts: null },
]

test('the axis reaches from the oldest packet of any node to the newest', () => {
  expect(ringRange(nodes)).toEqual({ start: 1000, end: 11_000 })
  expect(ringRange([])).toBeUndefined()
  expect(ringRange([{ name: 'c', oldest_ts: null, newest_ts: null }])).toBeUndefined()
})

test('each node has its part of the axis, with its gaps', () => {
  const [a, b, c] = ringTracks(nodes, { start: 1000, end: 11_000 })
  expect(a?.recorded).toEqual({ left: 0, width: 100 })
  expect(a?.gaps.map(({ left, width, reason }) => [left, width, reason])).toEqual([
    [0, 10, 'killed'],
    [50, 10, 'disk_full'],
  ])
  expect(b?.recorded).toEqual({ left: 50, width: 50 })
  expect(c).toEqual({ name: 'c', gaps: [] })
})

test('places and times follow from each other, and stay on the axis', () => {
  const range = { start: 1000, end: 11_000 }
  expect(timeAt(range, 0.5)).toBe(6000)
  expect(timeAt(range, -1)).toBe(1000)
  expect(timeAt(range, 2)).toBe(11_000)
  expect(partOf(range, 0, 20_000)).toEqual({ left: 0, width: 100 })
})
