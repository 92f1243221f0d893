import { expect, it } from 'vitest'
import { pathTemplate } from './path-template.ts'

it.each([
  ['/users/42', '/users/{id}'],
  ['/users/42/orders/7/', '/users/{id}/orders/{id}/'],
  ['/1/2/3', '/{id}/{id}/{id}'],
  ['/a/550e8400-e29b-41d4-a716-446655440000/b', '/a/{id}/b'],
  ['/o/5f1d7a84c2e4b9001f2a3b4c', '/o/{id}'],
  ['/v1/api/e2e/b2b', '/v1/api/e2e/b2b'],
  ['/item-12/x9', '/item-12/x9'],
  ['/', '/'],
  ['SELECT 1', 'SELECT 1'],
])('makes %s %s', (path, template) => {
  expect(pathTemplate(path)).toBe(template)
})
