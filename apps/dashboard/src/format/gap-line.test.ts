import { expect, test } from 'vitest'
import { gapLine, incompleteLine } from './gap-line.ts'

test('a gap says when, where and why', () => {
  const gap = {
    node: 'n1',
    from_ts: 0,
    to_ts: 1000,
    reason: 'killed',
    detail: 'the worker was killed or crashed',
  }
  expect(gapLine(gap)).toMatch(/ – .*, n1: the worker was killed or crashed$/)
})

test('a time without index says so, and whether it is being filled', () => {
  const times = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-01T00:00:01.000Z' }
  expect(
    incompleteLine({ ...times, node: 'n1', kind: 'not_indexed', reason: 'switch_off', pending: true }),
  ).toMatch(/, n1: not indexed, switch_off; it is being indexed now$/)
  expect(incompleteLine(times)).toMatch(/: not indexed, indexing fell behind$/)
})
