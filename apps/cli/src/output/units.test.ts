import { expect, test } from 'vitest'
import { formatBytes, formatClock, formatMs } from './units.ts'

test('sizes are given in the largest unit that fits', () => {
  expect([0, 999, 1000, 12_345, 999_999_999, 5e15].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '12.3 kB',
    '1000 MB',
    '5000 TB',
  ])
})

test('times are given in milliseconds or seconds', () => {
  expect([undefined, 0.4, 12.6, 1500].map(formatMs)).toEqual([undefined, '0.40 ms', '13 ms', '1.5 s'])
  expect(formatClock(0.5)).toBe('00:00:00.000')
})
