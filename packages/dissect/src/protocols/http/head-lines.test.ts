import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HeadLines } from './head-lines.ts'

const LF = 0x0a

/** Byte by byte what `HeadLines` does four at a time. */
function plainly(list: readonly number[], from: number): { length: number; starts: number[] } {
  const starts: number[] = []
  for (let at = from; at < list.length; at++) {
    if (list[at] !== LF) continue
    if (at + 1 === list.length || (list[at + 1] === 0x0d && at + 2 === list.length))
      return { length: -at, starts }
    if (list[at + 1] === LF) return { length: at + 2, starts }
    if (list[at + 1] === 0x0d && list[at + 2] === LF) return { length: at + 3, starts }
    if ('CTUctu'.includes(String.fromCharCode(list[at + 1]))) starts.push(at + 1)
  }
  return { length: -list.length, starts }
}

test('finds the end of a head and its lines, wherever the bytes lie in memory', () => {
  const byte = fc.oneof(
    fc.constantFrom(LF, 0x0b, 0x09, 0x8a, 0x00, 0xff, 0x0d, 0x43, 0x74, 0x55),
    fc.nat(255),
  )
  const lines = new HeadLines()
  fc.assert(
    fc.property(
      fc.array(byte, { minLength: 1, maxLength: 80 }),
      fc.nat(7),
      fc.nat(9),
      fc.nat(20),
      (rest, offset, before, skip) => {
        // No head begins with LF.
        const list = [0x47, ...rest]
        const memory = new Uint8Array(offset + before + list.length + 5).fill(LF)
        memory.set(list, offset + before)
        const bytes = memory.subarray(offset)
        const from = Math.min(skip, list.length)
        const expected = plainly(list, from)
        expect(lines.scan(bytes, before, before + list.length, before + from)).toBe(expected.length)
        expect(lines.starts.slice(0, lines.count)).toEqual(expected.starts)
      },
    ),
    { numRuns: 3000 },
  )
})
