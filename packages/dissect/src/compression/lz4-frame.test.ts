import { describe, expect, it } from 'vitest'
import { latin1 } from '../text/text.ts'
import { unlz4Frame } from './lz4-frame.ts'

const HEADER = [0x04, 0x22, 0x4d, 0x18]
/** "abc", then nine more by a copy from three back, then "final": a whole block. */
const BLOCK = [0x35, 97, 98, 99, 3, 0, 0x50, 102, 105, 110, 97, 108]
/** Copies "final" from what was before this block, then "!". */
const LINKED = [0x01, 5, 0, 0x10, 33]
const size = (length: number) => [length & 255, length >> 8, 0, 0]
const text = (bytes: readonly number[], end = bytes.length, most = 1000) => {
  const plain = unlz4Frame(Uint8Array.from(bytes), 0, end, most)
  return plain && latin1(plain)
}

describe('an LZ4 frame', () => {
  const independent = [
    ...HEADER,
    0x60,
    0x40,
    0,
    ...size(12),
    ...BLOCK,
    3,
    0,
    0,
    0x80,
    120,
    121,
    122,
    0,
    0,
    0,
    0,
  ]

  it('has compressed and plain blocks', () => {
    expect(text(independent)).toBe('abcabcabcabcfinalxyz')
  })

  it('may have blocks that copy from the one before', () => {
    expect(text([...HEADER, 0x40, 0x40, 0, ...size(12), ...BLOCK, ...size(5), ...LINKED, 0, 0, 0, 0])).toBe(
      'abcabcabcabcfinalfinal!',
    )
  })

  it('may have its size, a dictionary and checksums of blocks', () => {
    const flags = 0x60 | 8 | 1 | 16
    const rest = [...new Array<number>(8).fill(0), 1, 2, 3, 4, 0]
    expect(text([...HEADER, flags, 0x40, ...rest, ...size(12), ...BLOCK, 9, 9, 9, 9, 0, 0, 0, 0])).toBe(
      'abcabcabcabcfinal',
    )
  })

  it('gives its beginning where it is cut, and at most the limit', () => {
    for (let end = 0; end < independent.length; end++)
      expect('abcabcabcabcfinalxyz'.startsWith(text(independent, end) ?? '')).toBe(true)
    expect(text(independent, undefined, 18)).toBe('abcabcabcabcfinalx')
  })

  it('begins with its magic number and version', () => {
    expect(text([1, 2, 3, 4, 0x60, 0x40, 0])).toBeUndefined()
    expect(text([...HEADER, 0xa0, 0x40, 0])).toBeUndefined()
  })
})
