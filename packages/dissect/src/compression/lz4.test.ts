import { bytes } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { latin1 } from '../text/text.ts'
import { unlz4 } from './lz4.ts'

/** Three literals, a copy of ten bytes that overlaps itself, then five literals. */
const BLOCK = Uint8Array.of(0x36, ...bytes('abc'), 3, 0, 0x50, ...bytes('final'))

describe('unlz4', () => {
  it('decompresses overlapping copies', () => {
    const text = unlz4(BLOCK, 0, BLOCK.length, 18)
    expect(text && latin1(text)).toBe('abcabcabcabcafinal')
  })

  it('reads lengths of several bytes', () => {
    const long = Uint8Array.of(0xff, 255, 10, ...new Uint8Array(280).fill(0x61), 1, 0, 255, 0)
    expect(unlz4(long, 0, long.length, 10_000)).toHaveLength(280 + 19 + 255)
  })

  it('returns the beginning of a cut block, and at most the limit', () => {
    for (let end = 0; end < BLOCK.length; end++)
      expect('abcabcabcabcafinal'.startsWith(latin1(unlz4(BLOCK, 0, end, 18) ?? bytes('?')))).toBe(true)
    expect(unlz4(BLOCK, 0, BLOCK.length, 5)).toHaveLength(5)
  })

  it('refuses copies that start before the beginning', () => {
    const before = Uint8Array.of(0x10, 0x61, 2, 0, 0)
    expect(unlz4(before, 0, before.length, 10)).toBeUndefined()
  })
})
