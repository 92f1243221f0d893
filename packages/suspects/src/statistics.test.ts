import { expect, it } from 'vitest'
import { hasRisen } from './statistics.ts'

it('a part of failures that rose is beyond chance, with many calls and with few', () => {
  expect(hasRisen(10, 1000, 100, 1000)).toBe(true)
  expect(hasRisen(0, 150, 30, 150)).toBe(true)
  expect(hasRisen(0, 1000, 20, 1000)).toBe(true)
  expect(hasRisen(1_000_000, 100_000_000, 200, 2000)).toBe(true)
})

it('steady failures that are missing in a short time before have not risen', () => {
  expect(hasRisen(0, 60, 19, 400)).toBe(false)
  expect(hasRisen(0, 20, 5, 200)).toBe(false)
  expect(hasRisen(1, 100, 3, 100)).toBe(false)
  expect(hasRisen(5, 100, 6, 100)).toBe(false)
  expect(hasRisen(0, 0, 6, 100)).toBe(false)
})
