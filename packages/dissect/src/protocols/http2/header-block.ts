import { Malformed, type Side } from '@tapdeck/wire'
import { cursor, integer } from './hpack/primitives.ts'
import { STATIC_ENTRIES } from './hpack/static-table.ts'

/** More entries than a table of 64 KiB can have. */
const LAST_INDEX = STATIC_ENTRIES + 2048

/**
 * How surely these bytes are a whole header block: 2 where it begins with a pseudo-header of that side and ends where
 * it should, 1 where only the latter is so, -1 where it is none.
 */
export function looksLikeBlock(bytes: Uint8Array, start: number, end: number, side: Side): number {
  let at = start
  let first = -1
  try {
    while (at < end) {
      const byte = bytes[at++]
      const mask = byte >= 0x80 ? 0x7f : byte >= 0x40 ? 0x3f : byte >= 0x20 ? 0x1f : 0x0f
      let index = byte & mask
      if (index === mask) {
        index = integer(bytes, at, end, mask)
        at = cursor
      }
      if (mask === 0x1f) {
        // RFC 7541 §4.2: changes of size come first.
        if (first >= 0) return -1
        continue
      }
      if (first < 0) first = index
      if (index > LAST_INDEX) return -1
      if (mask === 0x7f) {
        if (index === 0) return -1
        continue
      }
      if (index === 0) {
        const name = at
        at = skipString(bytes, at, end)
        if (at === name + 1) return -1
      }
      const value = at
      at = skipString(bytes, at, end)
      // Pseudo-headers are never empty.
      if (index > 1 && index < 15 && at === value + 1) return -1
    }
  } catch (error) {
    if (error instanceof Malformed) return -1
    throw error
  }
  // A request has its method, scheme and path at least.
  if (first < 0 || (side === 0 && end - start < 3)) return -1
  return side === 0 ? (first >= 1 && first <= 7 ? 2 : 1) : first >= 8 && first <= 14 ? 2 : 1
}

function skipString(bytes: Uint8Array, start: number, end: number): number {
  if (start >= end) throw new Malformed('string cut short')
  let length = bytes[start] & 0x7f
  let at = start + 1
  if (length === 0x7f) {
    length = integer(bytes, at, end, 0x7f)
    at = cursor
  }
  if (length > end - at) throw new Malformed('string cut short')
  return at + length
}
