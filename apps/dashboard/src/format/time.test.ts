import { expect, test } from 'vitest'
import {
  clockTime,
  datedTime,
  dateTime,
  inputTime,
  isSameDay,
  timeWindow,
  utcTime,
  zoneName,
} from './time.ts'

// Built from local parts, so that the test holds in every time zone.
const noon = new Date(2026, 4, 12, 12, 3, 7, 42).getTime()

test('times are shown in the reader’s zone', () => {
  expect(clockTime(noon)).toBe('12:03:07.042')
  expect(clockTime(noon + 0.9)).toBe('12:03:07.042')
  expect(dateTime(noon)).toBe('2026-05-12 12:03:07')
  expect(inputTime(noon)).toBe('2026-05-12T12:03:07')
})

test('UTC keeps the microseconds', () => {
  const ts = Date.UTC(2026, 4, 12, 12, 3, 7, 42)
  expect(utcTime(ts + 0.118)).toBe('2026-05-12 12:03:07.042118 UTC')
  expect(utcTime(ts)).toBe('2026-05-12 12:03:07.042000 UTC')
  expect(utcTime(ts + 0.9999)).toBe('2026-05-12 12:03:07.043000 UTC')
})

test('a day ends at midnight', () => {
  expect(isSameDay(noon, noon + 3_600_000)).toBe(true)
  expect(isSameDay(noon, noon + 12 * 3_600_000)).toBe(false)
})

test('a time of another day has its date, with the year', () => {
  expect(datedTime(noon, noon + 3_600_000)).toBe('12:03:07.042')
  expect(datedTime(noon, noon + 86_400_000)).toBe('2026-05-12 12:03:07.042')
})

test('a window says a shared day once', () => {
  expect(timeWindow(noon, noon + 60_000)).toBe('2026-05-12 12:03:07 – 12:04:07')
  expect(timeWindow(noon, noon + 86_400_000)).toBe('2026-05-12 12:03:07 – 2026-05-13 12:03:07')
})

test.each([
  [0, 'UTC'],
  [-330, 'UTC+05:30'],
  [210, 'UTC-03:30'],
])('a zone that is %d minutes behind reads %s', (minutes, name) => {
  expect(zoneName(minutes)).toBe(name)
})
