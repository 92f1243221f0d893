import { viewOf } from '@tapdeck/wire'

/** Shorter texts are looked through byte by byte. */
const SHORT = 16
const ONES = 0x0101_0101
const HIGHEST = 0x8080_8080 | 0

/** The 0 that ends the text at `start`; `end` where there is none. */
export function textEnd(bytes: Uint8Array, start: number, end: number): number {
  const near = Math.min(end, start + SHORT)
  let at = start
  while (at < near && bytes[at] !== 0) at++
  return at < near || near === end ? at : farEnd(bytes, at, end)
}

/** The same by four bytes at a time. */
function farEnd(bytes: Uint8Array, start: number, end: number): number {
  const view = viewOf(bytes)
  let at = start
  for (; at + 4 <= end; at += 4) {
    const four = view.getInt32(at, true)
    // Of a byte that is 0, taking 1 away sets the highest bit; so it does of those above 0x80, which have it already.
    if (((four - ONES) & ~four & HIGHEST) !== 0) break
  }
  while (at < end && bytes[at] !== 0) at++
  return at
}

export function int16(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1]
}

export function int32(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
}
