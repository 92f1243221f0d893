import { expect, test } from 'vitest'
import { bytes, count, countOf, rate } from './amount.ts'

test('counts are grouped, nouns agree', () => {
  expect(count(1_234_567)).toBe('1,234,567')
  expect([countOf(1, 'call'), countOf(0, 'call'), countOf(2500, 'call')]).toEqual([
    '1 call',
    '0 calls',
    '2,500 calls',
  ])
})

test('bytes take the unit that fits', () => {
  expect([0, 812, 4300, 1023 * 1024, 1.4e9, 5e15].map(bytes)).toEqual([
    '0 B',
    '812 B',
    '4.2 KiB',
    '1.0 MiB',
    '1.3 GiB',
    '4547 TiB',
  ])
})

test('small rates show a fraction', () => {
  expect([0, 0.44, 9.96, 84.2, 12_000].map(rate)).toEqual(['0', '0.4', '10.0', '84', '12,000'])
})
