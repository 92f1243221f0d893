import { expect, test } from 'vitest'
import { retryDelay } from './retry-delay.ts'

const limits = { firstMs: 500, maxMs: 15_000 }

test('the delay doubles up to the maximum', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map((failures) => retryDelay(limits, failures))).toEqual([
    500, 1000, 2000, 4000, 8000, 15_000, 15_000,
  ])
  expect(retryDelay(limits, 1e9)).toBe(15_000)
})

test('jitter shortens the delay by at most its share', () => {
  const delays = [0, 0.5, 1].map((random) => retryDelay({ ...limits, jitter: 0.4 }, 3, random))
  expect(delays).toEqual([2400, 3200, 4000])
})
