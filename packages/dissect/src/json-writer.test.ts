import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteWriter } from './byte-writer.ts'
import { writeJson } from './json-writer.ts'
import type { FieldValue } from './message.ts'

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

it('writes what JSON.stringify writes', () => {
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

it.each([0, 1, 127, 128, 16_383, 16_384, 2 ** 21 - 1, 2 ** 21])('puts a length before %i bytes', (length) => {
  const sized = new ByteWriter()
  sized.byte(7)
  sized.byte(0)
  sized.raw(new Uint8Array(length).fill(65))
  sized.sized(1)
  const plain = new ByteWriter()
  plain.byte(7)
  plain.bytes(new Uint8Array(length).fill(65))
  expect(Buffer.compare(sized.written(), plain.written())).toBe(0)
})
