import { expect, test } from 'vitest'
import { RateMeter } from './rate-meter.ts'

test('a steady counter has a steady rate', () => {
  const meter = new RateMeter()
  expect(meter.read(1000, 0)).toBeUndefined()
  expect(meter.read(1050, 1000)).toBeCloseTo(50)
  expect(meter.read(1150, 3000)).toBeCloseTo(50)
})

test('the rate comes down to zero when nothing happens', () => {
  const meter = new RateMeter()
  meter.read(0, 0)
  meter.read(100, 1000)
  let rate: number | undefined
  for (let second = 2; second < 40; second++) rate = meter.read(100, second * 1000)
  expect(rate).toBe(0)
})

test('a counter that began anew gives no negative rate', () => {
  const meter = new RateMeter()
  meter.read(5000, 0)
  expect(meter.read(10, 1000)).toBeUndefined()
  expect(meter.read(30, 2000)).toBeCloseTo(20)
})
