import { expect, test } from 'vitest'
import { ByteEscaper, escapeControls } from './escape-controls.ts'

const hostile = { note: 'a\u009b31mred\u007f\u0085b', plain: 'é ß 雪 \u00a0 Â' }

test('C1 controls and DEL are escaped, and JSON means the same', () => {
  const text = escapeControls(JSON.stringify(hostile))
  expect(text).toContain('a\\u009b31mred\\u007f\\u0085b')
  expect(text).not.toMatch(/[\u007f-\u009f]/)
  expect(JSON.parse(text)).toEqual(hostile)
})

test('bytes that are cut anywhere give the same text', () => {
  const bytes = Buffer.from(`${JSON.stringify(hostile)}\n`)
  const expected = `${escapeControls(JSON.stringify(hostile))}\n`
  for (let cut = 0; cut <= bytes.length; cut++) {
    const escaper = new ByteEscaper()
    const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].map((piece) => escaper.escape(piece))
    expect(Buffer.concat(pieces).toString()).toBe(expected)
  }
})

test('bytes without controls are passed on as they are', () => {
  const bytes = Buffer.from('{"plain":"é ß 雪"}\n')
  expect(new ByteEscaper().escape(bytes).buffer).toBe(bytes.buffer)
})
