import { Malformed } from '@tapdeck/wire'
import { describe, expect, it } from 'vitest'
import { latin1 } from '../../../text/text.ts'
import { decodeHuffman } from './huffman.ts'

function decode(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  const into = new Uint8Array(64)
  return latin1(into, 0, decodeHuffman(bytes, 0, bytes.length, into, 0))
}

/** A code filled up with ones, as the end of a string is. */
function coded(code: number, bits: number): string {
  const size = Math.ceil(bits / 8) * 8
  const value = (BigInt(code) << BigInt(size - bits)) | ((1n << BigInt(size - bits)) - 1n)
  return value.toString(16).padStart(size / 4, '0')
}

describe('the Huffman code', () => {
  it('decodes the examples of RFC 7541 Appendix C', () => {
    expect(decode('f1e3c2e5f23a6ba0ab90f4ff')).toBe('www.example.com')
    expect(decode('a8eb10649cbf')).toBe('no-cache')
    expect(decode('d07abe941054d444a8200595040b8166e082a62d1bff')).toBe('Mon, 21 Oct 2013 20:13:21 GMT')
  })

  // The first and the last of each length in Appendix B: the code is canonical, so those between follow.
  it.each([
    [48, 0x0, 5],
    [116, 0x9, 5],
    [32, 0x14, 6],
    [117, 0x2d, 6],
    [58, 0x5c, 7],
    [122, 0x7b, 7],
    [38, 0xf8, 8],
    [90, 0xfd, 8],
    [33, 0x3f8, 10],
    [63, 0x3fc, 10],
    [39, 0x7fa, 11],
    [124, 0x7fc, 11],
    [35, 0xffa, 12],
    [62, 0xffb, 12],
    [126, 0x1ffd, 13],
    [125, 0x3ffd, 14],
    [123, 0x7ffe, 15],
    [92, 0x7fff0, 19],
    [208, 0x7fff2, 19],
    [128, 0xfffe6, 20],
    [226, 0xfffed, 20],
    [153, 0x1fffdc, 21],
    [230, 0x1fffe8, 21],
    [129, 0x3fffd2, 22],
    [233, 0x3fffeb, 22],
    [135, 0x7fffd9, 23],
    [239, 0x7ffff4, 23],
    [142, 0xffffeb, 24],
    [237, 0xfffff5, 24],
    [199, 0x1ffffec, 25],
    [235, 0x1ffffef, 25],
    [192, 0x3ffffe0, 26],
    [255, 0x3ffffee, 26],
    [203, 0x7ffffde, 27],
    [254, 0x7fffff0, 27],
    [127, 0xffffffc, 28],
    [249, 0xffffffe, 28],
  ])('has symbol %i', (symbol, code, bits) => expect(decode(coded(code, bits)).charCodeAt(0)).toBe(symbol))

  it('writes control characters as spaces', () => {
    expect(decode(coded(0x3ffffffc, 30))).toBe(' ')
    expect(decode(coded(0x1ff8, 13))).toBe(' ')
  })

  it('refuses an end of string inside, and padding that is none', () => {
    expect(() => decode('ffffffff')).toThrow(Malformed)
    expect(() => decode('00')).toThrow(Malformed)
    expect(() => decode('07ff')).toThrow(Malformed)
  })
})
