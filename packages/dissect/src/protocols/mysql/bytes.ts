export const HEADER = 4
/** A packet of this length is continued in the next. */
export const MAX_LENGTH = 0xffffff

export function int16(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8)
}

export function int24(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)
}

export function int32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}

/** Bytes that a length-encoded integer takes; 0 where none begins like this. */
export function integerSize(first: number): number {
  return first < 0xfb ? 1 : first === 0xfc ? 3 : first === 0xfd ? 4 : first === 0xfe ? 9 : 0
}

/** The length-encoded integer at `at`, as far as a number can hold it. */
export function integerAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first === 0xfc) return int16(bytes, at + 1)
  if (first === 0xfd) return int24(bytes, at + 1)
  if (first === 0xfe) return int32(bytes, at + 1) + int32(bytes, at + 5) * 0x100000000
  return first
}

/** Where the length-encoded text at `at` ends; -1 where it does not fit. */
export function textEnd(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return -1
  const size = integerSize(bytes[at])
  if (size === 0 || at + size > end) return -1
  const stop = at + size + integerAt(bytes, at)
  return stop <= end ? stop : -1
}

/** The 0 that ends the text at `start`; `end` where there is none. */
export function zeroAt(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at] !== 0) at++
  return at
}

export function isText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte < 0x20 && (byte < 0x09 || byte > 0x0d)) return false
  }
  return true
}
