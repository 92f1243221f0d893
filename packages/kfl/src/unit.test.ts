import { expect, test } from 'vitest'
import { parseDuration } from './unit.ts'

test.each([
  ['250ms', 250_000],
  ['1h30m', 5_400_000_000],
  ['-5m', -300_000_000],
  ['0', 0],
])('%s is %s microseconds', (text, expected) => {
  expect(parseDuration(text)).toBe(expected)
})

test.each(['', '-', '5', '--5m', '1h-5m'])('%j is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})
