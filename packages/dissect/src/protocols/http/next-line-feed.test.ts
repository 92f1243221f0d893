import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextLineFeed } from './next-line-feed.ts'

test('finds the first LF, wherever the bytes lie in memory', () => {
  const byte = fc.oneof(fc.constantFrom(0x0a, 0x0b, 0x09, 0x8a, 0x00, 0xff, 0x0d), fc.nat(255))
  fc.assert(
    fc.property(
      fc.array(byte, { maxLength: 80 }),
      fc.nat(7),
      fc.nat(20),
      fc.nat(20),
      (list, offset, skip, less) => {
        const memory = new Uint8Array(offset + list.length + 5).fill(0x0a)
        memory.set(list, offset)
        const bytes = memory.subarray(offset, offset + list.length)
        const start = Math.min(skip, list.length)
        const end = Math.max(start, list.length - less)
        const found = list.slice(0, end).indexOf(0x0a, start)
        expect(nextLineFeed(bytes, start, end)).toBe(found < 0 ? end : found)
      },
    ),
    { numRuns: 2000 },
  )
})
