import { expect, test } from 'vitest'
import { nameList, patternProblem } from './name-list.ts'

test('names are separated by commas or blanks, and each counts once', () => {
  expect(nameList(' shop, bank  shop,')).toEqual(['shop', 'bank'])
  expect(nameList('')).toEqual([])
})

test('a pattern that cannot be read is refused before it is sent', () => {
  expect(patternProblem('^shop-')).toBeUndefined()
  expect(patternProblem('')).toBeUndefined()
  expect(patternProblem('(')).toContain('no regular expression')
})
