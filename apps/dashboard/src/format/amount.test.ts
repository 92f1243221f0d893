import { expect, test } from 'vitest'
import { count, countOf, rate } from './amount.ts'

test('counts are grouped, nouns agree', () => {
  expect(count(1_234_567)).toBe('1,234,567')
  expect([countOf(1, 'call'), countOf(0, 'call'), countOf(2500, 'call')]).toEqual([
    '1 call',
    '0 calls',
    '2,500 calls',
  ])
})

test('small rates show a fraction', () => {
  expect([0, 0.44, 9.96, 84.2, 12_000].map(rate)).toEqual(['0', '0.4', '10.0', '84', '12,000'])
})
