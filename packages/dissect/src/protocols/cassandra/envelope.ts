import type { Side } from '@tapdeck/wire'
import { isSaidBy } from './opcode.ts'

/** Version, flags, stream, opcode and length: §2. */
export const HEADER = 9
/** Servers refuse longer ones. */
const MAX_LENGTH = 256 * 1024 * 1024
const OLDEST = 3
const NEWEST = 5

export const FLAG = { COMPRESSED: 1, TRACING: 2, PAYLOAD: 4, WARNING: 8 } as const
const ALL_FLAGS = 0x1f

/** A message's header could stand here, as far as `bytes[at, end)` goes. */
export function isHeader(bytes: Uint8Array, at: number, end: number, side: Side): boolean {
  const held = end - at
  if (held > 0 && !isVersion(bytes[at], side)) return false
  if (held > 1 && bytes[at + 1] > ALL_FLAGS) return false
  // Only the server has streams of its own.
  if (held > 2 && side === 0 && bytes[at + 2] > 0x7f) return false
  if (held > 4 && !isSaidBy(bytes[at + 4], side)) return false
  return held < HEADER || bodyLength(bytes, at) <= MAX_LENGTH
}

function isVersion(byte: number, side: Side): boolean {
  const version = byte & 0x7f
  return byte >> 7 === side && version >= OLDEST && version <= NEWEST
}

export function bodyLength(bytes: Uint8Array, at: number): number {
  return bytes[at + 5] * 0x1000000 + ((bytes[at + 6] << 16) | (bytes[at + 7] << 8) | bytes[at + 8])
}

export function streamOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 2] << 24) >> 16) | bytes[at + 3]
}
