import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokens } from './tokens.ts'

const kinds = (text: string) =>
  tokens(text)
    .filter((token) => token.kind !== 'space')
    .map((token) => `${token.kind}:${token.text}`)

test('both accents are cut into names, words, operators and literals', () => {
  expect(kinds('src.pod == "a \\" and b" AND not response.status >= 500 or latency > 100ms')).toEqual([
    'name:src.pod',
    'operator:==',
    'string:"a \\" and b"',
    'word:AND',
    'word:not',
    'name:response.status',
    'operator:>=',
    'number:500',
    'word:or',
    'name:latency',
    'operator:>',
    'number:100ms',
  ])
  expect(kinds("http && request.headers['x-id'] != 'é'")).toEqual([
    'name:http',
    'operator:&&',
    'name:request.headers',
    'bracket:[',
    "string:'x-id'",
    'bracket:]',
    'operator:!=',
    "string:'é'",
  ])
})

test('an unfinished string is a string to the end', () => {
  expect(kinds('path contains "/api')).toEqual(['name:path', 'word:contains', 'string:"/api'])
})

test('no text is lost, whatever is typed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(
        tokens(text)
          .map((token) => token.text)
          .join(''),
      ).toBe(text)
    }),
  )
})
