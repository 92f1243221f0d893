import { bytes } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'
import { crc24, payloadCrc } from './checksum.ts'

/** The sum bit by bit, as it is defined. */
function slow(data: Uint8Array): number {
  let crc = 0x875060
  for (const byte of data) {
    crc ^= byte << 16
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1
      if (crc & 0x1000000) crc ^= 0x1974f0b
    }
  }
  return crc
}

it('sums up headers as the definition does', () => {
  for (let low = 0; low < 0x40000; low += 977) {
    const header = Uint8Array.of(low & 255, (low >> 8) & 255, low >> 16)
    expect(crc24(header, 0, 3)).toBe(slow(header))
  }
})

it('sums up payloads as CRC-32 with four bytes before them', () => {
  const nothing = new Uint8Array(0)
  // CRC-32 of fa 2d 55 ca.
  expect(payloadCrc(nothing, 0, 0)).toBe(0x44777ed3)
  const text = bytes('..payload..')
  expect(payloadCrc(text, 2, 9)).toBe(payloadCrc(bytes('payload'), 0, 7))
})
