import { expect, test } from 'vitest'
import { linkTarget, readPlace, writePlace } from './docs-place.ts'

test('a place is read back; text that is none gives the index', () => {
  for (const place of [{ page: 'kfl' }, { page: 'decisions/rewind', section: 'how-it-is' }])
    expect(readPlace(writePlace(place))).toMatchObject(place)
  for (const text of ['', '../etc/passwd', 'a/b/c', 'kfl:<b>', 'kfl.md'])
    expect(readPlace(text), text).toEqual({ page: 'README', section: undefined })
})

test('relative links lead to places, links to other hosts outside, all others nowhere', () => {
  const place = (page: string, section?: string) => ({ kind: 'place', place: { page, section } })
  expect(linkTarget('kfl', 'rewind.md#backfill')).toEqual(place('rewind', 'backfill'))
  expect(linkTarget('kfl', '#operators')).toEqual(place('kfl', 'operators'))
  expect(linkTarget('kfl', 'decisions/README.md')).toEqual(place('decisions/README'))
  expect(linkTarget('decisions/rewind', '../kfl.md')).toEqual(place('kfl'))
  expect(linkTarget('kfl', 'https://example.com/a')).toEqual({
    kind: 'outside',
    href: 'https://example.com/a',
  })
  for (const href of [
    '../CONTRIBUTING.md',
    'javascript:alert(1)',
    '//evil.example/docs/A.md',
    'data:text/html,x',
  ])
    expect(linkTarget('kfl', href), href).toEqual({ kind: 'none' })
})
