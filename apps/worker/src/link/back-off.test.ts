import { expect, test } from 'vitest'
import { BackOff } from './back-off.ts'

test('waits double up to a ceiling, spread so that nodes do not come all at once', () => {
  const backOff = new BackOff()
  expect(Array.from({ length: 7 }, () => backOff.after(0, 0.5))).toEqual([
    250, 500, 1000, 2000, 4000, 5000, 5000,
  ])
  expect(backOff.after(0, 0)).toBe(4000)
  expect(backOff.after(0, 0.999)).toBe(5998)
})

test('a connection that lasted begins anew', () => {
  const backOff = new BackOff()
  backOff.after(0, 0.5)
  backOff.after(0, 0.5)
  expect(backOff.after(60_000, 0.5)).toBe(250)
})
