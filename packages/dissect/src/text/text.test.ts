import { describe, expect, it } from 'vitest'
import { latin1, upperWord, utf8, utf8Lossy, word } from './text.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('texts', () => {
  it('decode a range of bytes, one character per byte', () => {
    expect(latin1(Uint8Array.of(0x61, 0xe9, 0x62), 1, 3)).toBe('éb')
    expect(latin1(bytes('xabc').subarray(1), 1, 3)).toBe('bc')
  })

  it('distinguish UTF-8 from other bytes', () => {
    expect(utf8(bytes('grüße'))).toBe('grüße')
    expect(utf8(Uint8Array.of(0xff))).toBeUndefined()
    expect(utf8Lossy(Uint8Array.of(0x61, 0xff))).toBe('a\ufffd')
  })
})

describe('words', () => {
  it('are correct even if many share a slot', () => {
    for (let round = 0; round < 2; round++)
      for (let i = 0; i < 10_000; i++)
        expect(word(bytes(`/path/${i}`), 0, `/path/${i}`.length)).toBe(`/path/${i}`)
  })

  it('differ if any byte differs', () => {
    const base = 'x'.repeat(90)
    for (let round = 0; round < 3; round++)
      for (let i = 0; i < 90; i++) {
        const text = `${base.slice(0, i)}y${base.slice(i + 1)}`
        expect(word(bytes(text), 0, 90)).toBe(text)
      }
  })

  it('can be converted to upper case', () => {
    for (const text of ['SELECT', 'select', 'Select', ''])
      expect(upperWord(bytes(`-${text}-`), 1, 1 + text.length)).toBe(text.toUpperCase())
    expect(upperWord(Uint8Array.of(0xe9), 0, 1)).toBe('É')
  })

  it('may be long, empty or not ASCII', () => {
    const long = 'x'.repeat(500)
    expect(word(bytes(long), 0, 500)).toBe(long)
    expect(word(bytes('abc'), 1, 1)).toBe('')
    expect(word(Uint8Array.of(0xe9), 0, 1)).toBe('é')
  })
})
