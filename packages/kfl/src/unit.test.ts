import { describe, expect, test } from 'vitest'
import { parseDuration, parseSize } from './unit.ts'

describe('units', () => {
  test.each([
    ['250ms', 250_000],
    ['1.5s', 1_500_000],
    ['1h30m', 5_400_000_000],
    ['2d', 172_800_000_000],
    ['15us', 15],
    ['15µs', 15],
    ['500ns', 0.5],
    ['-5m', -300_000_000],
    ['0', 0],
  ])('%s is %s microseconds', (text, expected) => {
    expect(parseDuration(text)).toBe(expected)
  })

  test.each(['', '5', 'ms', '5 m', '5x', '5mss', '1h-5m'])('%s is no duration', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  test.each([
    ['1B', 1],
    ['1KB', 1000],
    ['1kb', 1000],
    ['1.5MB', 1_500_000],
    ['1KiB', 1024],
    ['64Ki', 65_536],
    ['2Gi', 2_147_483_648],
  ])('%s is %s bytes', (text, expected) => {
    expect(parseSize(text)).toBe(expected)
  })

  test.each(['5', '5XB', '5m', 'MB', '5constructor'])('%s is no size', (text) => {
    expect(parseSize(text)).toBeUndefined()
  })
})
