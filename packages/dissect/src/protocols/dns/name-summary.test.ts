import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from '../../bytes/byte-writer.ts'
import { writePath } from '../../message/placed-summary.ts'
import { readName, skipName } from './name.ts'
import { NameSummary } from './name-summary.ts'

const HEADER = 12
const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9_-]{1,63}$/).map((text) => [...Buffer.from(text)]),
  fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 20 }),
  fc.array(fc.constantFrom(0x20, 0x21, 0x2e, 0x5c, 0x7e, 0x7f, 0x80), { minLength: 1, maxLength: 3 }),
)

function written(summary: NameSummary): Buffer {
  const writer = new ByteWriter(1)
  writer.byte(1)
  writePath(summary, writer)
  return Buffer.from(writer.written().subarray(1))
}

test('a name in bytes is written like the string', () => {
  const end = fc.constantFrom([0], [0xc0, 0], [0xc0, 2])
  fc.assert(
    fc.property(fc.array(label, { maxLength: 4 }), end, fc.nat(9), (labels, last, before) => {
      const name = [...labels.flatMap((text) => [text.length, ...text]), ...last]
      // A pointer may lead into the header.
      const bytes = Uint8Array.from([
        ...Buffer.alloc(before, 1),
        1,
        0x61,
        0,
        ...Buffer.alloc(9),
        ...name,
        0,
        1,
      ])
      const at = before + HEADER
      const summary = new NameSummary()
      const stop = skipName(bytes, at, bytes.length)
      summary.placeName(bytes, before, at, stop, bytes.length)
      const text = readName(bytes, before, at, bytes.length)
      expect(written(summary)).toEqual(Buffer.from(text))
      expect(summary.path).toBe(text)
      expect(written(summary)).toEqual(Buffer.from(text))
    }),
    { numRuns: 1000 },
  )
})

test('as JSON it has its columns', () => {
  const summary = new NameSummary()
  expect(JSON.stringify(summary)).toBe('{}')
  expect(written(summary)).toEqual(Buffer.alloc(0))
  summary.method = 'A'
  summary.placeName(Uint8Array.of(1, 0x61, 2, 0x62, 0x63, 0), 0, 0, 6, 6)
  expect(JSON.stringify(summary)).toBe('{"method":"A","path":"a.bc"}')
})
