import { expect, test } from 'vitest'
import { Clock, dateColumn } from './clock.ts'

const noon = Date.UTC(2026, 10, 17, 12)
const day = 86_400_000
const berlin = { utc: false, now: noon, offsetOf: () => 60 }

test('the title names the time zone, and today needs no date', () => {
  const local = new Clock([noon], berlin)
  expect([local.title, local.format(noon)]).toEqual(['TIME +01:00', '13:00:00.000'])
  const utc = new Clock([noon], { ...berlin, utc: true })
  expect([utc.title, utc.format(noon)]).toEqual(['TIME UTC', '12:00:00.000'])
  expect(new Clock([noon], { ...berlin, offsetOf: () => -210 }).title).toBe('TIME -03:30')
})

test('where days differ, each time has its date with the year', () => {
  const clock = new Clock([noon - day, noon], berlin)
  expect(clock.title).toBe('TIME +01:00')
  expect(clock.format(noon - day)).toBe('2026-11-16 13:00:00.000')
})

test('two times of one UTC day are on two days where the local date changes between them', () => {
  const late = Date.UTC(2026, 10, 17, 23, 30)
  expect(new Clock([noon, late], berlin).format(late)).toBe('2026-11-18 00:30:00.000')
})

test('times of one earlier day have the date in the title', () => {
  expect(new Clock([noon - day], berlin).title).toBe('2026-11-16 +01:00')
})

test('a column of dates names the zone and shows a sign for a missing time', () => {
  const column = dateColumn<{ at: string | null }>('EXPIRES', ({ at }) => at, berlin, 'never')
  expect(column.title).toBe('EXPIRES +01:00')
  expect(column.cell({ at: '2026-12-31T23:30:00.000Z' })).toBe('2027-01-01 00:30:00')
  expect(column.cell({ at: null })).toBe('never')
})
