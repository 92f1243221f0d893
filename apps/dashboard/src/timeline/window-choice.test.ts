import { expect, test } from 'vitest'
import { durationMs, reachesBeyond, readChoice } from './window-choice.ts'

const blank = { kind: 'duration' as const, duration: '', from: '', to: '' }

test('durations are read as the hub reads them', () => {
  expect(['90s', '1h30m', '2d', '500ms', '1.5h'].map(durationMs)).toEqual([
    90_000, 5_400_000, 172_800_000, 500, 5_400_000,
  ])
  expect(['', '5', 'm', '-5m', '0s', '5m ', '1h 30m'].map(durationMs)).toEqual(Array(7).fill(undefined))
})

test('a choice becomes a window, or says what is missing', () => {
  expect(readChoice({ ...blank, duration: ' 15m ' })).toEqual({ duration: '15m' })
  expect(readChoice({ ...blank, duration: 'soon' })).toHaveProperty('problem')
  const range = { ...blank, kind: 'range' as const, from: '2026-05-12T10:00:00', to: '2026-05-12T10:05:00' }
  expect(readChoice(range)).toEqual({
    start: new Date(2026, 4, 12, 10).getTime(),
    end: new Date(2026, 4, 12, 10, 5).getTime(),
  })
  expect(readChoice({ ...range, to: range.from })).toEqual({ problem: 'The end must come after the start.' })
  expect(readChoice({ ...range, to: '' })).toEqual({ problem: 'Give both times.' })
})

test('a window beyond the recording is known beforehand', () => {
  expect(reachesBeyond({ duration: '1m' }, 0, 120_000)).toBe(false)
  expect(reachesBeyond({ duration: '5m' }, 0, 120_000)).toBe(true)
  expect(reachesBeyond({ start: 10, end: 90 }, 0, 100)).toBe(false)
  expect(reachesBeyond({ start: 10, end: 101 }, 0, 100)).toBe(true)
})
