import type { StatsGroup } from '@tapdeck/questions'
import { expect, test } from 'vitest'
import { comesAndGoes, failsMore, type Side, seemsSlower, tailGrew } from './compare-groups.ts'

const group = (calls: number, more: Partial<StatsGroup> = {}): StatsGroup => ({
  group: 'x',
  calls,
  errors: 0,
  capture_errors: 0,
  rate: 0,
  bytes: 0,
  ...more,
})
const side = (seconds: number, calls?: number, cut = false): Side => ({
  seconds,
  cut,
  groups: new Map(calls === undefined ? [] : [['x', group(calls)]]),
})

test('what is missing from a window is new or gone only where enough should have been there', () => {
  expect(comesAndGoes('x', side(60), side(60, 20))?.kind).toBe('new')
  expect(comesAndGoes('x', side(60), side(60, 20))?.significance).toBe('strong')
  expect(comesAndGoes('x', side(60), side(60, 12))?.significance).toBe('likely')
  expect(comesAndGoes('x', side(60), side(60, 9))).toBeUndefined()
  expect(comesAndGoes('x', side(60), side(600, 50))).toBeUndefined()
  expect(comesAndGoes('x', side(600, 50), side(600))?.kind).toBe('gone')
  expect(comesAndGoes('x', side(0), side(60, 1000))).toBeUndefined()
  expect(comesAndGoes('x', side(60), side(0, 1000))).toBeUndefined()
  expect(comesAndGoes('x', side(0), side(0, 1000))).toBeUndefined()
  expect(comesAndGoes('x', side(0, 1000), side(60))).toBeUndefined()
})

test('nothing is new or gone where not all groups of the other window are known', () => {
  expect(comesAndGoes('x', side(60, undefined, true), side(60, 100))).toBeUndefined()
  expect(comesAndGoes('x', side(60, 100), side(60, undefined, true))).toBeUndefined()
})

test.each([
  ['half of them, before none', 60, 0, 60, 30, 'strong'],
  ['a few more of few', 30, 1, 30, 4, undefined],
  ['much more of many, by little', 100_000, 1000, 100_000, 1500, undefined],
  ['twice as many of many', 10_000, 200, 10_000, 400, 'strong'],
  ['fewer', 100, 50, 100, 10, undefined],
  ['all, as before', 50, 50, 50, 50, undefined],
])('failing: %s', (_, calls, errors, callsNow, errorsNow, significance) => {
  const change = failsMore(group(calls, { errors }), group(callsNow, { errors: errorsNow }))
  expect(change?.significance).toBe(significance)
})

test('a rise counts as slower only where it is more than chance, and more than a trifle', () => {
  const before = group(60, { latency_p50_ms: 10, latency_p90_ms: 20 })
  expect(seemsSlower(before, group(60, { latency_p50_ms: 10, latency_p90_ms: 29 }))).toBe(false)
  expect(seemsSlower(before, group(60, { latency_p50_ms: 15, latency_p90_ms: 20 }))).toBe(true)
  expect(seemsSlower(group(9, { latency_p50_ms: 0.1 }), group(9, { latency_p50_ms: 1 }))).toBe(false)
  expect(seemsSlower(group(9), group(9))).toBe(false)
  expect(tailGrew(before, before, 6, 60)).toBeUndefined()
  expect(tailGrew(before, before, 12, 60)).toBeUndefined()
  expect(tailGrew(before, before, 18, 60)?.significance).toBe('likely')
  expect(tailGrew(before, before, 60, 60)?.significance).toBe('strong')
  expect(tailGrew(before, before, 0, 0)).toBeUndefined()
})

test('calls of which the capture missed a half do not fail', () => {
  const lost = group(60, { errors: 30, capture_errors: 30 })
  expect(failsMore(group(60), lost)).toBeUndefined()
  expect(failsMore(group(60), { ...lost, errors: 60 })?.detail).toBe('0.0 % of calls failed before, now 50 %')
})
