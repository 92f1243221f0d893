import { expect, test } from 'vitest'
import { visiblePlainText, visibleText } from './visible-text.ts'

const hostile = 'a\u202eb\u2066\u200b\ufeff\u{e0041}\u0085\u009b31m\u007f'
const HIDDEN = /[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/u

test('invisible and bidirectional characters become escapes, and JSON means the same', () => {
  const text = visibleText(JSON.stringify({ hostile }))
  expect(text).toContain('a\\u202eb\\u2066\\u200b\\ufeff\\udb40\\udc41\\u0085\\u009b31m\\u007f')
  expect(HIDDEN.test(text)).toBe(false)
  expect(JSON.parse(text)).toEqual({ hostile })
})

test('text that is read without surprise stays as it is', () => {
  const plain = 'é ß 雪 שלום \u00a0 Â 🙂\n\tend'
  expect([visibleText(plain), visiblePlainText(plain)]).toEqual([plain, plain])
})

test('plain text has no escape sequences of a terminal', () => {
  expect(visiblePlainText('\u001b[2J\u0007\rx\r\ny')).toBe('\\u001b[2J\\u0007\\u000dx\r\ny')
})
