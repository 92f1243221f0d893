import { expect, test } from 'vitest'
import { RestartDelay } from './restart-delay.ts'

test('a part that keeps dying is started ever later, up to half a minute', () => {
  const delay = new RestartDelay()
  const delays = Array.from({ length: 8 }, () => delay.after(10))
  expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('a part that ran for a minute is started again at once', () => {
  const delay = new RestartDelay()
  delay.after(10)
  delay.after(10)
  expect(delay.after(60_000)).toBe(500)
})
