/** The 0 that ends the text at `start`; `end` where there is none. */
export function textEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at] !== 0) at++
  return at
}

export function int16(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1]
}

export function int32(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
}
