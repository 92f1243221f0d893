import { Malformed } from '@tapdeck/wire'
import { describe, expect, it } from 'vitest'
import { readName, skipName } from './name.ts'

/** Labels as text, numbers as bytes. */
function name(...parts: readonly (string | number)[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === 'number' ? [part] : [part.length, ...new TextEncoder().encode(part)],
    ),
  )
}
const read = (bytes: Uint8Array, at = 0) => readName(bytes, 0, at, bytes.length)

describe('a name', () => {
  it('has labels and dots between them', () => {
    expect(read(name('www', 'Example', 'com', 0))).toBe('www.Example.com')
    expect(read(name(0))).toBe('.')
  })

  it('may end in a pointer back', () => {
    const bytes = name('com', 0, 'example', 0xc0, 0, 'www', 0xc0, 5)
    expect(read(bytes, 15)).toBe('www.example.com')
    expect(skipName(bytes, 15, bytes.length)).toBe(21)
  })

  it('shows what cannot be printed, and dots that separate nothing', () => {
    expect(read(name('a.b\\c d\u0001', 0))).toBe('a\\.b\\\\c\\032d\\001')
  })

  it.each([
    ['itself', name(0xc0, 0)],
    ['a circle', name('a', 0xc0, 4, 'b', 0xc0, 0)],
    ['ahead', name(0xc0, 2, 'a', 0)],
  ])('does not follow a pointer to %s', (_, bytes) => expect(() => read(bytes)).toThrow(Malformed))

  it.each([
    ['is cut', name('www', 'exam')],
    ['has a cut label', Uint8Array.of(5, 97)],
    ['has a cut pointer', name('www', 0xc0)],
    ['has an unknown label type', name(0x80, 0)],
    ['is too long', name(...Array.from({ length: 30 }, () => '123456789'), 0)],
  ])('is refused where it %s', (_, bytes) => {
    expect(() => {
      read(bytes)
      skipName(bytes, 0, bytes.length)
    }).toThrow(Malformed)
  })

  it('is reported as too long rather than cut, from the first byte over its limit on', () => {
    const long = (last: number, ...end: readonly number[]) =>
      name(...Array.from({ length: 3 }, () => 'x'.repeat(63)), 'x'.repeat(last), ...end)
    const skip = (bytes: Uint8Array) => skipName(bytes, 0, bytes.length)
    expect(skip(long(62, 0))).toBe(256)
    expect(() => skip(long(62))).toThrow('name cut short')
    expect(() => skip(long(63, 0))).toThrow('name too long')
    expect(() => skip(long(63))).toThrow('name too long')
    expect(() => skip(name('www', 0xc0))).toThrow('name cut short')
    expect(() => skip(name('www', 0x80, 0))).toThrow('no label')
  })
})
