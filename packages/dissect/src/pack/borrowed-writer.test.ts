import { chunkMemory } from '@tapdeck/wire'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { ByteWriter } from '../bytes/byte-writer.ts'
import { MessageParts, PARTS } from '../bytes/message-parts.ts'
import { borrowWriter, returnWriter } from './borrowed-writer.ts'

const CHUNK = 256 * 1024
const chunk = Uint8Array.from({ length: CHUNK }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 24)

afterEach(returnWriter)

test('only one caller has the writer at a time', () => {
  expect(borrowWriter()).toBeDefined()
  expect(borrowWriter()).toBeUndefined()
  returnWriter()
  expect(borrowWriter()).toBeDefined()
})

/** Ranges of the chunk: anywhere, short and long, also at its end. */
const place = fc.tuple(fc.nat(CHUNK), fc.oneof(fc.nat(40), fc.nat(2000))).map(([from, length]) => {
  const end = Math.min(CHUNK, from + length)
  return [end - Math.min(length, end), end] as const
})
const ranges = fc.array(fc.tuple(place, fc.option(place, { nil: undefined }), fc.boolean()), {
  maxLength: 60,
})

function write(writer: ByteWriter, parts: readonly (readonly [number, number])[], bytes: Uint8Array): void {
  const [[headAt, headEnd], body] = parts as [readonly [number, number], (readonly [number, number])?]
  const message = new MessageParts()
  const { head, start, end, size } = PARTS
  message.parts = head | start | end | size
  message.placeHead(bytes, headAt, headEnd)
  if (body !== undefined) {
    message.parts |= PARTS.body | PARTS.bodySize | PARTS.numberKey
    message.placeBody(bytes, body[0], body[1])
    message.bodySize = 5
    message.key = 7
  }
  writer.message(message)
}

test('it writes the same as other writers, for stable and other bytes', () => {
  fc.assert(
    fc.property(ranges, (all) => {
      chunkMemory.begin(chunk)
      const borrowed = borrowWriter()!
      const plain = new ByteWriter()
      // The same bytes, but not in the current chunk.
      const foreign = chunk.slice()
      for (const [head, body, lasts] of all)
        for (const writer of [borrowed, plain])
          write(writer, body ? [head, body] : [head], lasts ? chunk : foreign)
      expect(Buffer.compare(borrowed.written(), plain.written())).toBe(0)
      returnWriter()
    }),
    { numRuns: 300 },
  )
})

test('it grows outside of chunk memory, which stays unchanged', () => {
  chunkMemory.begin(chunk)
  const borrowed = borrowWriter()!
  const plain = new ByteWriter()
  const { capacity } = borrowed
  for (let i = 0; i < 1000; i++) for (const writer of [borrowed, plain]) write(writer, [[i, i + 900]], chunk)
  expect(borrowed.capacity).toBeGreaterThan(capacity)
  expect(Buffer.compare(borrowed.written(), plain.written())).toBe(0)
  expect(chunkMemory.ensureLoaded(chunk, 0, CHUNK)).toBe(true)
  const shown = new Uint8Array(chunkMemory.memory.buffer, chunkMemory.base, CHUNK)
  expect(Buffer.compare(shown, chunk)).toBe(0)
})

test('it uses its buffer up to the last byte', () => {
  chunkMemory.begin(chunk)
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
