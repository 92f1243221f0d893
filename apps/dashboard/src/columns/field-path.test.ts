import { expect, test } from 'vitest'
import { fieldPath, valueAt } from './field-path.ts'

const fields = [
  { name: 'src.pod', path: 'src.pod', type: 'string' },
  { name: 'status', path: 'status', type: 'status' },
  { name: 'request.headers', path: 'request.headers', type: 'map' },
]

test('a field has a path, and so has the key of a map', () => {
  expect(fieldPath('src.pod', fields)).toBe('src.pod')
  expect(fieldPath(' request.headers["x-visit"] ', fields)).toBe('request.headers.x-visit')
})

test('a name that the catalog does not have has none', () => {
  expect(fieldPath('src.pood', fields)).toBeUndefined()
  expect(fieldPath('status["a"]', fields)).toBeUndefined()
  expect(fieldPath('src.pod == "a"', fields)).toBeUndefined()
})

test('a value is read along its path; names of headers in any case, with dots too', () => {
  const call = { src: { pod: 'cart-0' }, request: { headers: { 'X-Visit': '7', 'a.b': 'dotted' } } }
  expect(valueAt(call, 'src.pod')).toBe('cart-0')
  expect(valueAt(call, 'request.headers.x-visit')).toBe('7')
  expect(valueAt(call, 'request.headers.a.b')).toBe('dotted')
  expect(valueAt(call, 'request.body.deep')).toBeUndefined()
})
