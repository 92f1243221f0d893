import { inflateSync } from 'node:zlib'
import { type Side, unzstd } from '@tapdeck/wire'
import { HEADER, int24 } from './bytes.ts'
import { evidence, PROOF } from './evidence.ts'

/** Length of what follows, a number, and the length that it unfolds to; 0: it was not worth it. */
export const COMPRESSED_HEADER = 7

export type Algorithm = 'zlib' | 'zstd'

/** Undefined where the bytes do not unfold to that length. They say themselves how they are compressed. */
export function unfold(bytes: Uint8Array, length: number): Uint8Array | undefined {
  const unfolded =
    algorithmAt(bytes, 0) === 'zstd' ? unzstd(bytes, 0, bytes.length, length + 1) : inflate(bytes, length)
  return unfolded?.length === length ? unfolded : undefined
}

function inflate(bytes: Uint8Array, length: number): Uint8Array | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: length })
  } catch {
    return undefined
  }
}

function algorithmAt(bytes: Uint8Array, at: number): Algorithm | undefined {
  if (bytes[at] === 0x78 && ((bytes[at] << 8) | bytes[at + 1]) % 31 === 0) return 'zlib'
  return bytes[at] === 0x28 && bytes[at + 1] === 0xb5 ? 'zstd' : undefined
}

/** Is this a compressed packet that begins a command or an answer? `more`: its end is not there. */
export function isCompressed(bytes: Uint8Array, at: number, end: number, side: Side): boolean | 'more' {
  if (end - at > 3 && bytes[at + 3] !== side) return false
  if (end - at < COMPRESSED_HEADER + 2) return 'more'
  const length = int24(bytes, at)
  const unfolded = int24(bytes, at + 4)
  const start = at + COMPRESSED_HEADER
  if (length < HEADER + 1) return false
  if (unfolded === 0) {
    if (end - start < HEADER + 1) return 'more'
    const inner = int24(bytes, start) + HEADER
    if (bytes[start + 3] !== side || inner > length || (side === 0 && inner !== length)) return false
    return evidence(bytes, start, Math.min(end, start + length), side) >= PROOF
  }
  if (algorithmAt(bytes, start) === undefined || unfolded <= HEADER) return false
  if (end - start < length) return 'more'
  const inner = unfold(bytes.subarray(start, start + length), unfolded)
  return inner !== undefined && inner[3] === side
}
