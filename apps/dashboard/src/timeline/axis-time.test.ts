import { expect, test } from 'vitest'
import { dateTime } from '../format/time.ts'
import { axisTime, axisTimes } from './axis-time.ts'

test('short windows show seconds, days show the date', () => {
  const whole = dateTime(1_794_762_934_000)
  const at = 1_794_762_934
  expect(axisTime(at, [at - 60, at])).toBe(whole.slice(11))
  expect(axisTime(at, [at - 3600, at])).toBe(whole.slice(11, 16))
  expect(axisTime(at, [at - 7 * 86_400, at])).toBe(whole.slice(5, 16))
})

test('a label that would stick out at either end is left out', () => {
  const start = 1_794_762_900
  const labels = axisTimes([start + 1, start + 30, start + 59], [start, start + 60], 300)
  expect(labels).toEqual(['', axisTime(start + 30, [start, start + 60]), ''])
})
