import { expect, test } from 'vitest'
import { dissectionThreads } from './dissection-threads.ts'

test('flows are shared as configured, or by all cores', () => {
  expect([1, 2, 4, 8].map((cores) => dissectionThreads(0, cores))).toEqual([1, 2, 4, 8])
  expect(dissectionThreads(0, 1000)).toBeLessThan(64)
  expect(dissectionThreads(2, 1)).toBe(2)
})
