import { describe, expect, it } from 'vitest'
import { bytes } from '../../testing/packet-builder.ts'
import { Xxh64 } from './xxh64.ts'

const sum = (text: Uint8Array, step = text.length) => {
  const sums = new Xxh64()
  for (let at = 0; at < text.length; at += step) sums.update(text, at, Math.min(text.length, at + step))
  return sums.low()
}

describe('the lower half of XXH64', () => {
  it.each([
    ['', 0x51d8e999],
    ['a', 0xa98c6e5b],
    ['abc', 0xad770999],
    ['Nobody inspects the spammish repetition', 0x8a378bf1],
  ])('of %j is as published', (text, low) => {
    expect(sum(bytes(text))).toBe(low)
  })

  it('does not depend on how the bytes come', () => {
    const text = Uint8Array.from({ length: 1000 }, (_, i) => (i * 131) & 255)
    for (const step of [1, 7, 32, 33, 999]) expect(sum(text, step)).toBe(sum(text))
  })
})
