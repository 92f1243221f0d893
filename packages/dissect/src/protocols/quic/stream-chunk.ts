/** flags, stream number, length */
const HEADER = 13
/** What a chunk says about its stream: it ends; it was given up; bytes before this chunk are missing. */
export const CHUNK = { last: 1, reset: 2, gap: 4 } as const

/**
 * Bytes of one stream in order. A connection of QUIC has many streams, and the plaintext of a flow is one sequence of bytes: chunks
 * carry the streams through it, to the protocol inside.
 */
export interface StreamChunk {
  readonly id: number
  readonly flags: number
  readonly start: number
  readonly end: number
}

export function writeChunk(id: number, flags: number, bytes: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(HEADER + bytes.length)
  const view = new DataView(chunk.buffer)
  chunk[0] = flags
  view.setFloat64(1, id)
  view.setUint32(9, bytes.length)
  chunk.set(bytes, HEADER)
  return chunk
}

/** The length of the chunk at `start`; 0: more bytes are needed. */
export function chunkLength(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < HEADER) return 0
  return HEADER + new DataView(bytes.buffer, bytes.byteOffset).getUint32(start + 9)
}

export function readChunk(bytes: Uint8Array, start: number, end: number): StreamChunk {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return { id: view.getFloat64(start + 1), flags: bytes[start], start: start + HEADER, end }
}
