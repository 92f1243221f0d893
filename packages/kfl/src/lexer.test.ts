import { describe, expect, test } from 'vitest'
import { tokenize } from './lexer.ts'

const kinds = (text: string) =>
  tokenize(text).map((token) => (token.kind === 'punctuation' ? token.text : token.kind))

describe('the lexer', () => {
  test.each([
    ['a.b', ['name', '.', 'name', 'end']],
    ['500..599', ['number', '..', 'number', 'end']],
    ['1s..2s', ['duration', '..', 'duration', 'end']],
    ['1.5', ['number', 'end']],
    ['10.0.0.0/8', ['ip', 'end']],
    ['10/8', ['number', '/', 'number', 'end']],
    ['a?b:c', ['name', '?', 'name', ':', 'name', 'end']],
    ['a ? ::1 : fe80::/10', ['name', '?', 'ip', ':', 'ip', 'end']],
    ['2001:db8:0:0:0:0:0:1', ['ip', 'end']],
    ['250ms', ['duration', 'end']],
    ['1h30m', ['duration', 'end']],
    ['1KiB', ['size', 'end']],
    ['x-id', ['name', '-', 'name', 'end']],
    ['headers.x-id', ['name', '.', 'name', 'end']],
    ['headers.x - 1', ['name', '.', 'name', '-', 'number', 'end']],
    ['!a!=b', ['!', 'name', '!=', 'name', 'end']],
    ['r"a"', ['string', 'end']],
    ['r == 1', ['name', '==', 'number', 'end']],
    ['\u00a0a\n', ['name', 'end']],
  ])('%s', (text, expected) => {
    expect(kinds(text)).toEqual(expected)
  })

  test.each([
    ['"a\\"b"', 'a"b'],
    ["'it\\'s'", "it's"],
    ['"\\d+\\.\\b"', '\\d+\\.\\b'],
    ['"\\\\d"', '\\d'],
    ['"\\n\\t\\x41\\u00e9\\U0001F600"', '\n\tAé😀'],
    ['r"\\n"', '\\n'],
    ['"\\ud800"', '\ufffd'],
    ['"\\u00"', '\\u00'],
  ])('%s reads as %s', (text, value) => {
    expect(tokenize(text)[0]).toMatchObject({ kind: 'string', value })
  })
})
