import { expect, test } from 'vitest'
import { parseTime } from './constant.ts'

test.each([
  ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00:00.125Z', Date.UTC(2026, 0, 31, 12, 0, 0, 125)],
  ['2026-01-31T12:00:00.000125z', Date.UTC(2026, 0, 31, 12) + 0.125],
  ['2026-01-31T13:00:00+01:00', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31 12:00', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31', Date.UTC(2026, 0, 31)],
])('%s', (text, expected) => {
  expect(parseTime(text)).toBe(expected)
})

test.each(['', 'yesterday', '2026-02-30', '2026-13-01', '2026-01-31T25:00:00Z', '2026-01-31T12', '26-01-31'])(
  '%s is no time',
  (text) => {
    expect(parseTime(text)).toBeUndefined()
  },
)
