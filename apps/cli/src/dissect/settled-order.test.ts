import fc from 'fast-check'
import { expect, test } from 'vitest'
import { settledOrder } from './settled-order.ts'

const numbers = fc.array(fc.nat(50), { maxLength: 300 })

test('any numbers come in order, and equal ones as they were given', () => {
  fc.assert(
    fc.property(numbers, (values) => {
      const order = settledOrder([values.length], (a, b) => values[a]! - values[b]!)
      expect([...order]).toEqual(values.map((_, i) => i).sort((a, b) => values[a]! - values[b]! || a - b))
    }),
  )
})

test('so do numbers of any number of parts, some of them empty', () => {
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 9 }), (parts) => {
      const values = parts.flat()
      let end = 0
      const ends = parts.map((part) => {
        end += part.length
        return end
      })
      const order = settledOrder(ends, (a, b) => values[a]! - values[b]!)
      expect([...order]).toEqual(values.map((_, i) => i).sort((a, b) => values[a]! - values[b]! || a - b))
    }),
  )
})

test('so do numbers that are all the wrong way round', () => {
  const order = settledOrder([1000], (a, b) => b - a)
  expect([order[0], order[1], order[999]]).toEqual([999, 998, 0])
})

test('parts that are in order are compared but once for each of their numbers', () => {
  let compared = 0
  const half = 10_000
  const time = (i: number) => (i < half ? i * 2 : (i - half) * 2 + 1)
  const order = settledOrder([half, half * 2], (a, b) => {
    compared++
    return time(a) - time(b)
  })
  expect(Array.from(order.subarray(0, 4))).toEqual([0, half, 1, half + 1])
  expect(compared).toBeLessThan(half * 4)
})
