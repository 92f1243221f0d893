import { expect, test } from 'vitest'
import { countdown, latency, span } from './duration.ts'

test('latencies keep three digits at most and a unit that fits', () => {
  expect([0.0425, 0.82, 4.23, 9.97, 42.4, 999.7, 1350, 12_345, 250_000].map(latency)).toEqual([
    '43 µs',
    '820 µs',
    '4.2 ms',
    '10 ms',
    '42 ms',
    '1.00 s',
    '1.35 s',
    '12.3 s',
    '250 s',
  ])
})

test('a countdown ends at zero', () => {
  expect([272_000, 271_001, 59_000, 3_849_000, 0, -5000].map(countdown)).toEqual([
    '4:32',
    '4:32',
    '0:59',
    '1:04:09',
    '0:00',
    '0:00',
  ])
})

test('a duration is shown in its two largest units', () => {
  expect([0, 45_000, 750_000, 3_600_000, 11_100_000, 187_200_000].map(span)).toEqual([
    '0s',
    '45s',
    '12m 30s',
    '1h',
    '3h 5m',
    '2d 4h',
  ])
})
