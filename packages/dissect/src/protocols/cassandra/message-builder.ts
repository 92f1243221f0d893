import { crc32 } from 'node:zlib'
import { be16, be32, bytes, concat } from '@tapdeck/wire/testing'
import { crc24 } from './checksum.ts'

export function message(
  side: 0 | 1,
  opcode: number,
  stream: number,
  body: Uint8Array,
  version = 4,
  flags = 0,
): Uint8Array {
  const head = Uint8Array.of(version | (side << 7), flags, (stream >> 8) & 255, stream & 255, opcode)
  return concat(head, be32(body.length), body)
}

export const string = (text: string): Uint8Array => concat(be16(bytes(text).length), bytes(text))
export const longString = (text: string): Uint8Array => concat(be32(bytes(text).length), bytes(text))

/** A QUERY with consistency ONE and no flags. */
export function query(stream: number, text: string, version = 4): Uint8Array {
  const parameters = concat(be16(1), version === 5 ? be32(0) : Uint8Array.of(0))
  return message(0, 7, stream, concat(longString(text), parameters), version)
}

export const ready = (stream: number, version = 4): Uint8Array =>
  message(1, 2, stream, new Uint8Array(0), version)
export const done = (stream: number, version = 4): Uint8Array => message(1, 8, stream, be32(1), version)

/** A segment that is not compressed. */
export function segment(payload: Uint8Array, selfContained = true): Uint8Array {
  const low = payload.length | (selfContained ? 0x20000 : 0)
  const head = little(low, 3)
  const sum = crc32(payload, crc32(Uint8Array.of(0xfa, 0x2d, 0x55, 0xca)))
  return concat(head, little(crc24(head, 0, 3), 3), payload, little(sum, 4))
}

function little(value: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (value >>> (8 * i)) & 255)
}
