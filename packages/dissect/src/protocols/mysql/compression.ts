import * as zlib from 'node:zlib'
import type { Side } from '@tapdeck/wire'
import { HEADER, int24 } from './bytes.ts'
import { evidence, PROOF } from './shape.ts'

/** Length of what follows, a number, and the length that it unfolds to; 0: it was not worth it. */
export const COMPRESSED_HEADER = 7

export type Algorithm = 'zlib' | 'zstd'

/** Undefined where the bytes do not unfold to that length, or Node cannot do it: zstd needs 22.15. */
export function unfold(bytes: Uint8Array, length: number, algorithm: Algorithm): Uint8Array | undefined {
  const name = algorithm === 'zlib' ? 'inflateSync' : 'zstdDecompressSync'
  const unpack: unknown = Reflect.get(zlib, name)
  if (typeof unpack !== 'function') return undefined
  try {
    const unfolded: unknown = Reflect.apply(unpack, undefined, [bytes, { maxOutputLength: length }])
    return unfolded instanceof Uint8Array && unfolded.length === length ? unfolded : undefined
  } catch {
    return undefined
  }
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
  const zlibHead = bytes[start] === 0x78 && ((bytes[start] << 8) | bytes[start + 1]) % 31 === 0
  if (!zlibHead || unfolded <= HEADER) return false
  if (end - start < length) return 'more'
  const inner = unfold(bytes.subarray(start, start + length), unfolded, 'zlib')
  return inner !== undefined && inner[3] === side
}
