import { Malformed } from '@tapdeck/wire'
import { decodeHuffman } from './huffman.ts'

const SPACE = 0x20
const MAX_SIZE = 0x7fffffff

/** Where the integer or string that was read last ends: one for all, since nothing is read in between. */
export let cursor = 0

/** RFC 7541 §5.1: an integer whose prefix was all ones, worth `prefix`. Those beyond 2^31 are taken for 2^31 - 1. */
export function integer(bytes: Uint8Array, start: number, end: number, prefix: number): number {
  let value = prefix
  let at = start
  for (let shift = 0; shift <= 28; shift += 7) {
    if (at >= end) throw new Malformed('integer cut short')
    const byte = bytes[at++]
    if (shift < 28) value += (byte & 0x7f) << shift
    else if (byte > 0) value = MAX_SIZE
    if (byte < 0x80) {
      cursor = at
      return value
    }
  }
  throw new Malformed('integer too long')
}

/**
 * RFC 7541 §5.2: a string, written to `into` at `to`; its length there. -1: there is no room for it. Control
 * characters become spaces, so that no value can pretend to be another line. `mask`: the bits of the length in the first
 * byte; the bit above them marks a Huffman code.
 */
export function string(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: Uint8Array,
  to: number,
  mask = 0x7f,
): number {
  if (start >= end) throw new Malformed('string cut short')
  const first = bytes[start]
  let length = first & mask
  let at = start + 1
  if (length === mask) {
    length = integer(bytes, at, end, mask)
    at = cursor
  }
  const stop = at + length
  if (stop > end) throw new Malformed('string cut short')
  cursor = stop
  // No code is shorter than five bits.
  const isHuffman = (first & (mask + 1)) !== 0
  const room = isHuffman ? (((length * 8) / 5) | 0) + 2 : length
  if (to + room + 4 > into.length) return -1
  if (isHuffman) return decodeHuffman(bytes, at, stop, into, to) - to
  for (let i = 0; i < length; i++) into[to + i] = Math.max(bytes[at + i], SPACE)
  return length
}
