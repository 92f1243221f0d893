import type { CachedBytes } from '../memory/cached-bytes.ts'

/** Bits for the parts of a packed message, in the order in which they are written. */
export const PARTS = {
  numberKey: 1,
  textKey: 2,
  protocol: 4,
  head: 8,
  body: 16,
  bodySize: 32,
  truncated: 64,
  fields: 128,
  more: 256,
  start: 512,
  end: 1024,
  size: 2048,
} as const

const EMPTY = new Uint8Array(0)

/** A message as `ByteWriter.message` writes it. Reused: only the members named by `parts` are valid. */
export class MessageParts {
  kind = 0
  parts = 0
  /** -0 keeps this a double, like the times below. */
  key = -0
  textKey: Uint8Array = EMPTY
  protocol: Uint8Array = EMPTY
  /** The head is `headIn[headAt, headEnd)`; the body likewise. */
  headIn: Uint8Array = EMPTY
  headAt = 0
  headEnd = 0
  bodyIn: Uint8Array = EMPTY
  bodyAt = 0
  bodyEnd = 0
  bodySize = 0
  /** The fields as JSON: shared ones, or else those in `json`. */
  fields: CachedBytes | undefined
  json: Uint8Array = EMPTY
  start = -0
  end = -0
  size = 0

  placeHead(memory: Uint8Array, at: number, end: number): void {
    // Skip redundant stores: each costs a GC write barrier.
    if (this.headIn !== memory) this.headIn = memory
    this.headAt = at
    this.headEnd = end
  }

  placeBody(memory: Uint8Array, at: number, end: number): void {
    if (this.bodyIn !== memory) this.bodyIn = memory
    this.bodyAt = at
    this.bodyEnd = end
  }
}
