import { expect, test } from 'vitest'
import { closedName, openName, parseName } from './segment-name.ts'

test('a closed segment is named by its range, rounded outwards', () => {
  const start = Date.parse('2026-03-01T10:00:00.123Z') * 1000 + 456
  const name = closedName(7, start, start + 1)
  expect(name).toBe('00000007-20260301T100000123Z-20260301T100000124Z.pcapng')
  const { sequence, range } = parseName(name)!
  expect(sequence).toBe(7)
  expect(range!.start).toBeLessThanOrEqual(start)
  expect(range!.end).toBeGreaterThanOrEqual(start + 1)
})

test('an open segment has its own suffix, and other files are none', () => {
  expect(parseName(openName(123_456_789))).toEqual({ sequence: 123_456_789 })
  for (const name of [
    'x.pcapng',
    '00000001.pcapng',
    '00000001-20261301T100000123Z-20260301T100000124Z.pcapng',
    '',
  ])
    expect(parseName(name)).toBeUndefined()
})
