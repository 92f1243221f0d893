import { expect, test } from 'vitest'
import { orderRows } from './order-rows.ts'

const rows = [
  { n: 'b', v: 1 },
  { n: 'a', v: undefined },
  { n: 'c', v: 5 },
]

test('figures sort from the largest, absent ones last', () => {
  expect(orderRows(rows, { of: ({ v }) => v }).map(({ n }) => n)).toEqual(['c', 'b', 'a'])
})

test('texts sort from A', () => {
  expect(orderRows(rows, { isText: true, of: ({ n }) => n }).map(({ n }) => n)).toEqual(['a', 'b', 'c'])
})
