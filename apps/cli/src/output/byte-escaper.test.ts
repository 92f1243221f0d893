import { visibleText } from '@tapdeck/api'
import { expect, test } from 'vitest'
import { ByteEscaper } from './byte-escaper.ts'

const hostile = { note: 'a\u009b31mred\u007f\u0085b\u202e\ufeff\u{e0041}', plain: 'é ß 雪 \u00a0 Â 🙂' }

test('bytes that are cut anywhere give the same text', () => {
  const bytes = Buffer.from(`${JSON.stringify(hostile)}\n`)
  const expected = `${visibleText(JSON.stringify(hostile))}\n`
  for (let cut = 0; cut <= bytes.length; cut++) {
    const escaper = new ByteEscaper()
    const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].map((piece) => escaper.escape(piece))
    expect(Buffer.concat(pieces).toString()).toBe(expected)
  }
})

test('plain bytes are passed on as they are', () => {
  const bytes = Buffer.from('{"plain":"text"}\n')
  expect(new ByteEscaper().escape(bytes).buffer).toBe(bytes.buffer)
})
