import { expect, test } from 'vitest'
import { docsGroups } from './docs-index.ts'
import { parseMarkdown } from './markdown.ts'
import { searchDocs, sectionsOf } from './search-docs.ts'

const sections = [
  ...sectionsOf('kfl', parseMarkdown('# KFL\n\nFilters.\n\n## Operators\n\n| op |\n|---|\n| contains |\n')),
  ...sectionsOf('rewind', parseMarkdown('# Rewind\n\nA filter contains operators.\n\n- of a *ring*\n')),
]

test('sections have all words of the search; those with a word in the heading come first', () => {
  const found = (search: string) =>
    searchDocs(sections, search).map(({ place }) => [place.page, place.section])
  expect(found('operators')).toEqual([
    ['kfl', 'operators'],
    ['rewind', undefined],
  ])
  expect(found('OPERATORS  kfl')).toEqual([['kfl', 'operators']])
  expect(found('ring')).toEqual([['rewind', undefined]])
  expect(found('nowhere')).toEqual([])
  expect(found(' ')).toEqual([])
})

test('an excerpt has the words around the match', () => {
  const long = sectionsOf('a', parseMarkdown(`# A\n\n${'word '.repeat(100)}needle ${'word '.repeat(100)}`))
  const [hit] = searchDocs(long, 'needle')
  expect(hit?.excerpt).toContain('needle')
  expect(hit?.excerpt).toMatch(/^… word.* …$/)
  expect(hit?.excerpt.length).toBeLessThan(160)
})

test('the index gives groups of pages, without those that are not served', () => {
  const index =
    '# D\n\n## Use\n\n| page | for |\n|---|---|\n| [KFL](kfl.md) | filters |\n| [C](../C.md) | all |\n'
  expect(docsGroups(parseMarkdown(index))).toEqual([
    { title: 'Use', pages: [{ page: 'kfl', title: 'KFL', purpose: 'filters' }] },
  ])
})
