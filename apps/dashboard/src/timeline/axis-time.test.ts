import { expect, test } from 'vitest'
import { dateTime } from '../format/time.ts'
import { axisTime } from './axis-time.ts'

test('short windows show seconds, days show the date', () => {
  const whole = dateTime(1_794_762_934_000)
  const at = 1_794_762_934
  expect(axisTime(at, [at - 60, at])).toBe(whole.slice(11))
  expect(axisTime(at, [at - 3600, at])).toBe(whole.slice(11, 16))
  expect(axisTime(at, [at - 7 * 86_400, at])).toBe(whole.slice(5, 16))
})
