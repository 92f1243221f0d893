import { expect, test } from 'vitest'
import { dissectionThreads } from './dissection-threads.ts'

test('flows are shared as configured, or where there are cores enough', () => {
  expect([1, 2, 4, 8, 1000].map((cores) => dissectionThreads(0, cores))).toEqual([
    1,
    1,
    3,
    7,
    expect.any(Number),
  ])
  expect(dissectionThreads(0, 1000)).toBeLessThan(100)
  expect(dissectionThreads(2, 1)).toBe(2)
})
