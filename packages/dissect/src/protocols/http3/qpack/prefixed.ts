import { cursor, integer } from '../../http2/hpack/primitives.ts'

/** The integer in the low bits of the byte at `at`, and in what follows (RFC 7541 §5.1), and where it ends. */
export function prefixedInteger(
  bytes: Uint8Array,
  at: number,
  end: number,
  mask: number,
): readonly [number, number] {
  const value = bytes[at] & mask
  if (value < mask) return [value, at + 1]
  return [integer(bytes, at + 1, end, mask), cursor]
}
