import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteWriter } from '../bytes/byte-writer.ts'
import type { FieldValue } from '../contract/message.ts'
import { writeJson } from './json-writer.ts'

const value = fc.letrec<{ value: FieldValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
})).value

function written(it: FieldValue): string {
  const writer = new ByteWriter()
  writeJson(it, writer)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(writer.written())
}

it('writes the same as JSON.stringify', () => {
  fc.assert(
    fc.property(value, (it) => {
      expect(written(it)).toBe(JSON.stringify(it))
    }),
    { numRuns: 300 },
  )
})

it.each(['', 'a"b', 'back\\slash', 'line\nbreak', 'ü', '\u2028', '\ud800', '\x7f', 'x'.repeat(600)])(
  'writes %j',
  (text) => {
    expect(written(text)).toBe(JSON.stringify(text))
  },
)
