import { expect, test } from 'vitest'
import { fieldAt } from './field-at.ts'

const fields = [{ name: 'dst.svc' }, { name: 'latency' }]
const filter = 'dst.svc == "latency" and latency > 5ms'

test('the caret in a name, or right behind it, is on the field', () => {
  expect([0, 3, 7].map((caret) => fieldAt(filter, caret, fields)?.name)).toEqual(Array(3).fill('dst.svc'))
  expect(fieldAt(filter, filter.indexOf(' > 5ms'), fields)?.name).toBe('latency')
})

test('a value, an operator and an unknown name are no field', () => {
  expect([9, 14, filter.length].map((caret) => fieldAt(filter, caret, fields))).toEqual(
    Array(3).fill(undefined),
  )
  expect(fieldAt('dst.sv', 3, fields)).toBeUndefined()
})
