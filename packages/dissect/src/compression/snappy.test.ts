import { describe, expect, it } from 'vitest'
import { unsnap } from './snappy.ts'

const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)
/** "abcd", then four bytes from four back (one-byte offset), then eight from two back (two-byte offset). */
const block = Uint8Array.of(16, 3 << 2, 97, 98, 99, 100, 1, 4, (7 << 2) | 2, 2, 0)

describe('a Snappy block', () => {
  it('decompresses literals and copies, also overlapping ones', () => {
    expect(text(unsnap(block, 0, block.length, 100))).toBe('abcdabcdcdcdcdcd')
  })

  it('returns what there is if it is cut, and at most the limit', () => {
    expect(text(unsnap(block, 0, 8, 100))).toBe('abcdabcd')
    expect(text(unsnap(block, 0, block.length, 6))).toBe('abcdab')
  })

  it('is invalid if a copy starts before its beginning', () => {
    expect(unsnap(Uint8Array.of(8, 0, 97, 1, 9), 0, 5, 100)).toBeUndefined()
  })
})
