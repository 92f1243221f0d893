/** Chunk types (RFC 9260, and 8260 for interleaved data), as far as they are followed. */
export const CHUNK = {
  data: 0,
  init: 1,
  initAck: 2,
  abort: 6,
  shutdown: 7,
  shutdownComplete: 14,
  interleavedData: 64,
} as const

/** Flags of a data chunk. */
export const LAST_PART = 1
export const FIRST_PART = 2

export const COMMON_HEADER = 12
export const DATA_HEADER = 16
export const INTERLEAVED_HEADER = 20
