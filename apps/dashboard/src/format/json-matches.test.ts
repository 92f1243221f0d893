import { expect, test } from 'vitest'
import { jsonMatches } from './json-matches.ts'

const value = { items: [{ product: 'clock' }, { product: 'tea' }], total: { amount: 245, product: null } }

test('a search opens what leads to a match, in names and in values', () => {
  const { count, open, isCut } = jsonMatches(value, 'clock')
  expect([count, [...open], isCut]).toEqual([1, ['/items/0', '/items', ''], false])
  expect(jsonMatches(value, 'product').count).toBe(3)
  expect(jsonMatches(value, '245').open.has('/total')).toBe(true)
  expect(jsonMatches(value, 'coffee').open.size).toBe(0)
})

test('a search in a very large value stops, and says so', () => {
  const { isCut, count } = jsonMatches(
    Array.from({ length: 60_000 }, () => 'a'),
    'a',
  )
  expect(isCut).toBe(true)
  expect(count).toBeLessThan(60_000)
})

test('a value that is nested too deep for the stack is searched at its top', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}1${']'.repeat(5000)}`)
  expect(jsonMatches({ top: 1, deep }, 'top').count).toBe(1)
})
