import { expect, test } from 'vitest'
import { brushed, isSpan, lastWindow, zoomOut } from './time-window.ts'

test('a window is brushed from either side, and a click is none', () => {
  expect(brushed(5000.4, 1000.6)).toEqual({ start: 1000, end: 5001 })
  expect(brushed(1000, 1500)).toBeUndefined()
})

test('zooming out doubles the window around its middle', () => {
  expect(zoomOut({ start: 40_000, end: 60_000 }, 1_000_000)).toEqual({ start: 30_000, end: 70_000 })
})

test('zooming out does not reach into the future', () => {
  expect(zoomOut({ start: 40_000, end: 60_000 }, 65_000)).toEqual({ start: 25_000, end: 65_000 })
  expect(zoomOut({ start: 40_000, end: 60_000 }, 50_000)).toEqual({ start: 20_000, end: 60_000 })
})

test('a span ends now', () => {
  expect(lastWindow('5m', 1_000_000)).toEqual({ start: 700_000, end: 1_000_000 })
  expect(isSpan('5m')).toBe(true)
  expect(isSpan('5')).toBe(false)
})
