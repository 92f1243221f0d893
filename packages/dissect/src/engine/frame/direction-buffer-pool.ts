import { type BufferOwner, DirectionBuffer } from './direction-buffer.ts'

/** Idle directions that keep their buffer: the most recently active ones. */
const MAX_POOLED = 1024

/**
 * Lends a buffer to each direction that needs one. Most directions are idle, between two frames, so the buffer that
 * was taken longest ago is reused for another flow. Recently active connections keep theirs.
 */
export class DirectionBufferPool {
  readonly #buffers: DirectionBuffer[] = []
  #next = 0

  take(owner: BufferOwner): DirectionBuffer {
    const at = this.#next
    this.#next = (at + 1) % MAX_POOLED
    const buffer = this.#buffers[at]
    if (buffer === undefined || (buffer.owner !== undefined && !buffer.isIdle)) {
      // Still in use: leave it to its owner and pool a new one.
      const made = new DirectionBuffer()
      this.#buffers[at] = made
      made.owner = owner
      return made
    }
    buffer.owner?.leave(buffer)
    buffer.owner = owner
    return buffer
  }
}
