import { expect, test } from 'vitest'
import { noFilters, readFilters, withRecent, withSaved } from './filter-memory.ts'

test('the newest filter is first, each once, and the list has a limit', () => {
  const memory = ['a', 'b', 'a', ''].reduce(withRecent, noFilters)
  expect(memory.recent).toEqual(['a', 'b'])
  const many = Array.from({ length: 50 }, (_, i) => `n${i}`).reduce(withRecent, noFilters)
  expect(many.recent).toHaveLength(20)
  expect(many.recent[0]).toBe('n49')
})

test('a filter is saved and forgotten by the same step', () => {
  const saved = withSaved(withSaved(noFilters, 'a'), 'b')
  expect(saved.saved).toEqual(['a', 'b'])
  expect(withSaved(saved, 'a').saved).toEqual(['b'])
})

test('what cannot be read is not taken', () => {
  expect(readFilters({ saved: ['a'], recent: [] })).toEqual({ saved: ['a'], recent: [] })
  for (const value of [null, 7, {}, { saved: [1], recent: [] }]) expect(readFilters(value)).toBeUndefined()
})
