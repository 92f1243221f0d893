import { expect, test } from 'vitest'
import { observedTime } from './compared-window.ts'

const NOW = 100_000

test('a window is observed as far as its calls reach', () => {
  const window = { db: 'snapshot/1', start: 10_000, end: 90_000 }
  expect(observedTime(window, 20_000, 60_000, NOW)).toEqual({ from: 20_000, to: 60_000, seconds: 40 })
})

test('silence up to now counts in a live window with an end', () => {
  const window = { db: undefined, start: 30_000, end: 90_000 }
  expect(observedTime(window, 20_000, 60_000, NOW)).toEqual({ from: 30_000, to: 90_000, seconds: 60 })
  expect(observedTime({ ...window, end: 200_000 }, 20_000, 60_000, NOW).to).toBe(NOW)
  expect(observedTime({ ...window, end: undefined }, 20_000, 60_000, NOW).to).toBe(60_000)
})

test('nothing is observed without calls, or before the oldest', () => {
  const nothing = { from: null, to: null, seconds: 0 }
  expect(observedTime({ db: undefined }, null, null, NOW)).toEqual(nothing)
  expect(observedTime({ db: undefined, end: 10_000 }, 20_000, 60_000, NOW)).toEqual(nothing)
})

test('one call alone is observed for a moment', () => {
  expect(observedTime({ db: 'snapshot/1' }, 20_000, 20_000, NOW).seconds).toBeGreaterThan(0)
})
