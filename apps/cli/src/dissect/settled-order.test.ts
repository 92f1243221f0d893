import fc from 'fast-check'
import { expect, test } from 'vitest'
import { settledOrder } from './settled-order.ts'

const numbers = fc.array(fc.nat(50), { maxLength: 300 })

test('any numbers come in order, and equal ones as they were given', () => {
  fc.assert(
    fc.property(numbers, (values) => {
      const order = settledOrder(values.length, (a, b) => values[a]! - values[b]!)
      expect([...order]).toEqual(values.map((_, i) => i).sort((a, b) => values[a]! - values[b]! || a - b))
    }),
  )
})

test('so do numbers that are all the wrong way round', () => {
  const order = settledOrder(1000, (a, b) => b - a)
  expect([order[0], order[1], order[999]]).toEqual([999, 998, 0])
})
