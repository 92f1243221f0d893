import { expect, test } from 'vitest'
import { parseDuration, parseMicroseconds } from './parse-duration.ts'

test.each([
  ['500ns', 0.5],
  ['15us', 15],
  ['15\u00b5s', 15],
  ['15\u03bcs', 15],
  ['250ms', 250_000],
  ['1.5s', 1_500_000],
  ['90s', 90_000_000],
  ['30m', 1_800_000_000],
  ['1h30m', 5_400_000_000],
  ['2d', 172_800_000_000],
  ['1w', 604_800_000_000],
])('%s is %s microseconds', (text, microseconds) => {
  expect(parseMicroseconds(text)).toBe(microseconds)
  expect(parseDuration(text)).toBe(microseconds / 1000)
})

test.each([
  '',
  '0',
  '5',
  'ms',
  'soon',
  '5 m',
  ' 5m',
  '-5m',
  '5x',
  '5mss',
  '1h-5m',
  '1e3s',
  '\u0663s',
  `${'9'.repeat(400)}d`,
])('%j is not a duration', (text) => {
  expect(parseMicroseconds(text)).toBeUndefined()
  expect(parseDuration(text)).toBeUndefined()
})
