import { expect, test } from 'vitest'
import { nameProblem, suggestDissectionName, suggestName } from './thing-name.ts'

test('names that the hub would refuse are refused here', () => {
  expect(['shop', '0.a_b-c', 'a'.repeat(64)].map((name) => nameProblem(name, []))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  for (const name of ['', 'Shop', '-a', '.a', 'a b', 'a/b', 'ä', 'a'.repeat(65)])
    expect(nameProblem(name, [])).toBeDefined()
  expect(nameProblem('shop', ['shop'])).toBe('This name is taken.')
})

test('a suggested name is free and right', () => {
  const now = new Date(2026, 4, 2, 9, 5).getTime()
  expect(suggestName('snap', now, [])).toBe('snap-0502-0905')
  expect(suggestName('snap', now, ['snap-0502-0905', 'snap-0502-0905-2'])).toBe('snap-0502-0905-3')
  expect(suggestDissectionName([])).toBe('all')
  expect(suggestDissectionName(['all'])).toBe('all-2')
  expect(nameProblem(suggestName('snap', now, []), [])).toBeUndefined()
})
