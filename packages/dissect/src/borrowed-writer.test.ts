import { shadow } from '@tapdeck/wire'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { borrowWriter, returnWriter } from './borrowed-writer.ts'
import { ByteWriter } from './byte-writer.ts'

const CHUNK = 256 * 1024
const chunk = Uint8Array.from({ length: CHUNK }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 24)

afterEach(returnWriter)

test('one at a time has it', () => {
  expect(borrowWriter()).toBeDefined()
  expect(borrowWriter()).toBeUndefined()
  returnWriter()
  expect(borrowWriter()).toBeDefined()
})

/** Parts of the chunk: anywhere, also at its very end, short and long. */
const place = fc.tuple(fc.nat(CHUNK), fc.oneof(fc.nat(40), fc.nat(2000))).map(([from, length]) => {
  const end = Math.min(CHUNK, from + length)
  return [end - Math.min(length, end), end] as const
})
const halves = fc.array(fc.tuple(place, fc.option(place, { nil: undefined }), fc.boolean()), {
  maxLength: 60,
})

function write(writer: ByteWriter, parts: readonly (readonly [number, number])[], bytes: Uint8Array): void {
  const [[headAt, headEnd], body] = parts as [readonly [number, number], (readonly [number, number])?]
  if (body === undefined) writer.plainHalf(1, 9, undefined, bytes, headAt, headEnd, 1, 2, 3)
  else writer.half(0, 31, 7, bytes, headAt, headEnd, bytes, body[0], body[1], 5, undefined, 1, 2, 3)
}

test('what it writes is what others write, of bytes that last and of those that do not', () => {
  fc.assert(
    fc.property(halves, (all) => {
      shadow.begin(chunk)
      const borrowed = borrowWriter()!
      const plain = new ByteWriter()
      // The same bytes once more, which the shadow does not know.
      const stranger = chunk.slice()
      for (const [head, body, lasts] of all)
        for (const writer of [borrowed, plain])
          write(writer, body ? [head, body] : [head], lasts ? chunk : stranger)
      expect(Buffer.compare(borrowed.written(), plain.written())).toBe(0)
      returnWriter()
    }),
    { numRuns: 300 },
  )
})

test('beyond its room it goes on elsewhere, and the shadow stays as it is', () => {
  shadow.begin(chunk)
  const borrowed = borrowWriter()!
  const plain = new ByteWriter()
  const { capacity } = borrowed
  for (let i = 0; i < 1000; i++) for (const writer of [borrowed, plain]) write(writer, [[i, i + 900]], chunk)
  expect(borrowed.capacity).toBeGreaterThan(capacity)
  expect(Buffer.compare(borrowed.written(), plain.written())).toBe(0)
  expect(shadow.shows(chunk, 0, CHUNK)).toBe(true)
  const shown = new Uint8Array(shadow.memory.buffer, shadow.base, CHUNK)
  expect(Buffer.compare(shown, chunk)).toBe(0)
})

test('it is filled up to its last byte', () => {
  shadow.begin(chunk)
  const { capacity } = borrowWriter()!
  returnWriter()
  for (const length of [25, 31, 32, 33, 1000, 1015]) {
    const borrowed = borrowWriter()!
    const plain = new ByteWriter()
    while (borrowed.capacity === capacity)
      for (const writer of [borrowed, plain]) write(writer, [[3, 3 + length]], chunk)
    expect(Buffer.compare(borrowed.written(), plain.written())).toBe(0)
    returnWriter()
  }
})
