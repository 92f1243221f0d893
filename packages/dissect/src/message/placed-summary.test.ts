import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from '../bytes/byte-writer.ts'
import { CachedBytes } from '../memory/cached-bytes.ts'
import { CachedSummary, PlacedSummary, writePath } from './placed-summary.ts'

const written = (summary: Parameters<typeof writePath>[0]) => {
  const writer = new ByteWriter()
  writer.byte(1)
  writePath(summary, writer)
  return Buffer.from(writer.written().subarray(1))
}
const texts = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ maxLength: 40 }).map((text) => new Uint8Array(Buffer.from(text))),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => new Uint8Array(Buffer.from(text))),
)

test('a path in bytes is written like its string', () => {
  fc.assert(
    fc.property(texts, fc.nat(9), fc.nat(9), (text, before, after) => {
      const memory = Uint8Array.from([...Buffer.alloc(before, 0xff), ...text, ...Buffer.alloc(after, 0xff)])
      const summary = new PlacedSummary()
      summary.placePath(memory, before, before + text.length)
      expect(summary.path).toBe(Buffer.from(text).toString())
      expect(written(summary)).toEqual(Buffer.from(summary.path ?? ''))
    }),
    { numRuns: 500 },
  )
})

test('a path is written from every source', () => {
  const summary = new PlacedSummary()
  expect(written(summary)).toEqual(Buffer.alloc(0))
  summary.setPath('ä')
  expect(written(summary)).toEqual(Buffer.from('ä'))
  for (const length of [1, 7, 8, 9, 100, 600]) {
    const text = 'x'.repeat(length)
    const steady = new CachedSummary('SELECT', text, new CachedBytes(Buffer.from(text)), 'ok')
    expect(written(steady)).toEqual(Buffer.from(text))
  }
  expect(written({ path: '/a' })).toEqual(Buffer.from('/a'))
  expect(written({})).toEqual(Buffer.alloc(0))
})

test('its JSON has only the columns', () => {
  const summary = new PlacedSummary()
  summary.method = 'GET'
  summary.placePath(Buffer.from('a key'), 2, 5)
  expect(JSON.stringify(summary)).toBe('{"method":"GET","path":"key"}')
})
