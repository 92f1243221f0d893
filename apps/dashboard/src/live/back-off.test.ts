import { expect, test } from 'vitest'
import { backOff } from './back-off.ts'

test('the wait doubles up to a ceiling', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map((attempt) => backOff(attempt, 1))).toEqual([
    500, 1000, 2000, 4000, 8000, 15_000, 15_000,
  ])
  expect(backOff(1e9, 1)).toBe(15_000)
})

test('the random part shortens the wait, never below 60 %', () => {
  expect(backOff(3, 0)).toBe(2400)
  expect(backOff(3, 0.5)).toBe(3200)
})
