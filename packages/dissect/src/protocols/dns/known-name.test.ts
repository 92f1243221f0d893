import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { knownName, nameEnd } from './known-name.ts'
import { readName, skipName } from './name.ts'

const label = fc.string({ minLength: 1, maxLength: 20, unit: 'binary-ascii' })
const encoder = new TextEncoder()

/** A name whose last part is `end`, after twelve bytes that a pointer may lead into. */
function message(first: number, labels: readonly string[], end: readonly number[]): Uint8Array {
  const name = labels.flatMap((text) => [text.length, ...encoder.encode(text)])
  return Uint8Array.from([1, first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...name, ...end, 0, 1, 0, 1])
}

describe('a known name', () => {
  it('is what it is when read anew, and ends there, however often it comes', () => {
    const end = fc.constantFrom([0], [0xc0, 0], [0xc0, 2])
    const messages = fc.tuple(fc.integer({ min: 0x61, max: 0x64 }), fc.array(label, { maxLength: 6 }), end)
    fc.assert(
      fc.property(fc.array(messages, { maxLength: 20 }), (list) => {
        for (const [first, labels, last] of [...list, ...list]) {
          const bytes = message(first, labels, last)
          expect(knownName(bytes, 0, 12, bytes.length)).toBe(readName(bytes, 0, 12, bytes.length))
          expect(nameEnd).toBe(skipName(bytes, 12, bytes.length))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('is distinguished from others with the same beginning', () => {
    const many = Array.from({ length: 10_000 }, (_, i) =>
      message(0x61, ['a-long-beginning-of-a-name', `${i}`], [0]),
    )
    for (const bytes of many)
      expect(knownName(bytes, 0, 12, bytes.length)).toBe(readName(bytes, 0, 12, bytes.length))
  })
})
