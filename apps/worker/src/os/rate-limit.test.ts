import { describe, expect, it } from 'vitest'
import { RateLimit } from './rate-limit.ts'

describe('RateLimit', () => {
  it('allows a burst, then the rate, and counts what it refuses', () => {
    const allowance = new RateLimit(10, 20, 0)
    const taken = (now: number, times: number) =>
      Array.from({ length: times }, () => allowance.take(now)).filter(Boolean).length
    expect(taken(0, 100)).toBe(20)
    expect(taken(1000, 100)).toBe(10)
    expect(taken(500, 10)).toBe(0)
    expect(taken(100_000, 100)).toBe(20)
    expect(allowance.refused).toBe(310 - 50)
  })
})
