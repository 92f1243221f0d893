import { Malformed } from '@tapdeck/wire'

/** Version, length, flags, command, application, hop-by-hop and end-to-end identifier: RFC 6733 §3. */
export const HEADER = 20
export const FLAG = { request: 0x80, proxiable: 0x40, error: 0x20, retransmitted: 0x10 } as const

export function frameLength(bytes: Uint8Array, start: number, end: number): number {
  if (end > start && bytes[start] !== 1) throw new Malformed('unknown version')
  if (end - start < 4) return 0
  const length = uint24(bytes, start + 1)
  if (length < HEADER || length % 4 !== 0) throw new Malformed('length of a message')
  return length
}

export function uint24(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2]
}

export function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0
}
