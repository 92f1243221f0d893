import { expect, test } from 'vitest'
import type { Shape } from './shape.ts'
import { shownBy } from './shown-by.ts'

const field = { type: 'string', doc: 'A value', example: 'toy_a' } as const
const shape = {
  read: (exchange) => exchange,
  request: { headers: { from: () => ({}), ...field, type: 'map' }, plain: () => 1 },
  response: () => ({ gone: undefined, size: 2 }),
  own: {
    error: { from: () => ({ code: 'x' }), parts: { code: field } },
    query: { from: () => undefined, ...field, name: 'toy_statement' },
  },
} as const satisfies Shape<object>
const { fields, present } = shownBy('toy', shape, () => ({}))

test('fields have the names and paths of their keys', () => {
  expect(Object.entries(fields).map(([name, { path }]) => [name, path])).toEqual([
    ['toy_error_code', 'toy.error.code'],
    ['toy_statement', 'toy.query'],
    ['toy_headers', 'request.headers'],
  ])
})

test('a full call has the values that are there', () => {
  const message = { kind: 'request' } as const
  expect(present({ protocol: 'toy', request: message, response: message })).toStrictEqual({
    request: { headers: {}, plain: 1 },
    response: { size: 2 },
    own: { error: { code: 'x' } },
  })
})
