import { expect, test } from 'vitest'
import { BackOff } from './back-off.ts'

const limits = { firstMs: 250, maxMs: 5000, stableMs: 5000, jitter: 0.4 }

test('delays double up to the maximum while runs are short', () => {
  const backOff = new BackOff(limits)
  expect(Array.from({ length: 7 }, () => backOff.after(10, 1))).toEqual([
    250, 500, 1000, 2000, 4000, 5000, 5000,
  ])
  expect(backOff.after(0, 0)).toBe(3000)
})

test('a stable run resets the delay', () => {
  const backOff = new BackOff(limits)
  backOff.after(0, 1)
  backOff.after(0, 1)
  expect(backOff.after(5000, 1)).toBe(250)
})
