import { expect, it } from 'vitest'
import { HitRate } from './hit-rate.ts'

it('is the hits per second since the report before, and keeps its value for a report right after it', () => {
  const rate = new HitRate()
  expect(rate.update(10, 1000)).toBe(0)
  expect(rate.update(40, 3000)).toBe(15)
  expect(rate.update(41, 3100)).toBe(15)
  expect(rate.update(42, 5000)).toBe(1)
})
