/** Reads integers in the byte order that a capture file declares. Results of `u32` are unsigned. */
export function u16(data: Uint8Array, at: number, little: boolean): number {
  return little ? data[at] | (data[at + 1] << 8) : (data[at] << 8) | data[at + 1]
}

/** Signed, which is faster. */
export function int32(data: Uint8Array, at: number, little: boolean): number {
  return little
    ? data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24)
    : (data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]
}

export function u32(data: Uint8Array, at: number, little: boolean): number {
  return little
    ? (data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24)) >>> 0
    : ((data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]) >>> 0
}
