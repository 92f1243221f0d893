import { expect, it } from 'vitest'
import { pathTemplate } from '../path-template.ts'
import { SAME, setTemplates } from './path-templates.ts'
import { TextColumn } from './text-column.ts'

const SEGMENTS = [
  '',
  '4',
  '42',
  'users',
  'a1',
  '-',
  'dead-beef',
  'DEADBEEF',
  'deadbee',
  'ß9',
  '12345678g',
  '0x1',
]

/** What the column of templates says of each path. */
function templatesOf(paths: readonly string[]): string[] {
  const [column, templates] = [new TextColumn(), new TextColumn()]
  for (const [row, path] of paths.entries()) column.set(row, path)
  setTemplates(column, templates, paths.length)
  const decoder = new TextDecoder()
  return paths.map((_, row) =>
    decoder.decode(templates.bytes.subarray(templates.ends[row - 1] ?? 0, templates.ends[row])),
  )
}

it('makes the same of every path as the plain way does', () => {
  const paths = SEGMENTS.flatMap((one) =>
    SEGMENTS.flatMap((two) => SEGMENTS.map((three) => `/${one}/${two}/${three}`)),
  )
  for (const one of SEGMENTS) for (const two of SEGMENTS) paths.push(`x${one}/${two}`)
  const expected = paths.map((path) => (pathTemplate(path) === path ? SAME : pathTemplate(path)))
  expect(templatesOf(paths)).toEqual(expected)
})

it('has none where there is no path, and takes paths that grow beyond its memory', () => {
  const long = '/1'.repeat(20_000)
  expect(templatesOf(['', long, '/a'])).toEqual(['', '/{id}'.repeat(20_000), SAME])
})
