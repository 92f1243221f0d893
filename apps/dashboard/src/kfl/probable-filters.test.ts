import { compile, createCatalog } from '@tapdeck/kfl'
import { expect, test } from 'vitest'
import { probableFilters } from './probable-filters.ts'

test.each([
  ['/orders', 'request.path contains "/orders"'],
  ['500', 'response.status == 500'],
  ['post', 'request.method == "POST"'],
  ['10.0.0.7', 'src.ip == "10.0.0.7" or dst.ip == "10.0.0.7"'],
  ['cart', 'dst.svc contains "cart" or src.pod contains "cart"'],
  ['two words', 'request.path contains "two words"'],
])('%s means %s', (text, filter) => {
  expect(probableFilters(text)[0]).toBe(filter)
})

test('each of them is a filter', () => {
  for (const text of ['/orders', '500', 'GET', '10.0.0.7', 'cart', 'a b', 'ünï\\code'])
    for (const filter of probableFilters(text))
      expect(() => compile(filter, createCatalog({}), 0), filter).not.toThrow()
})

test('what looks like a filter is not guessed at', () => {
  for (const text of ['', 'src.pood == "a"', '(cart', '"cart"', 'a && b', 'x'.repeat(300)])
    expect(probableFilters(text)).toEqual([])
})
