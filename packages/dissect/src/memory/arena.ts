const SLAB_SIZE = 64 * 1024
/** Larger copies get their own memory, because they would waste too much of a slab. */
const MAX_SLAB_COPY = SLAB_SIZE / 4

/** Up to this length a byte loop is faster than `set`. */
const BYTE_LOOP_MAX = 64

/**
 * Copies bytes into slabs, so that a copy allocates nothing. A slab lives as long as any slice of it, so `own` a
 * slice that is kept for long. Bytes of a stable chunk are not copied.
 */
export class Arena {
  #stable: Uint8Array | undefined
  #stableMemory: ArrayBufferLike | undefined
  #stableOffset = 0
  #slab = new Uint8Array(0)
  /** Cached: reading the `buffer` of a view costs as much as a short copy. */
  #memory = this.#slab.buffer
  #used = 0
  /** The memory of the last `place`. */
  placed: Uint8Array = this.#slab

  /** `bytes` is a stable chunk: it does not change until the next call. */
  setStable(bytes: Uint8Array): void {
    this.#stable = bytes
    this.#stableMemory = bytes.buffer
    this.#stableOffset = bytes.byteOffset
  }

  copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const length = end - start
    if (bytes === this.#stable && this.#stableMemory !== undefined)
      return new Uint8Array(this.#stableMemory, this.#stableOffset + start, length)
    if (length > MAX_SLAB_COPY) return copyOf(bytes, start, end)
    const at = this.#fill(bytes, start, end)
    return new Uint8Array(this.#memory, at, length)
  }

  /** Copies without creating a view, which costs more than a short copy. Returns the offset in `placed`. */
  place(bytes: Uint8Array, start: number, end: number): number {
    if (bytes === this.#stable) {
      // Skip redundant stores: each costs a GC write barrier.
      if (this.placed !== bytes) this.placed = bytes
      return start
    }
    if (end - start > MAX_SLAB_COPY) {
      this.placed = copyOf(bytes, start, end)
      return 0
    }
    const at = this.#fill(bytes, start, end)
    if (this.placed !== this.#slab) this.placed = this.#slab
    return at
  }

  #fill(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start
    if (this.#used + length > this.#slab.length) {
      // Not zeroed, because all of it is written before it is read.
      this.#memory = Buffer.allocUnsafeSlow(SLAB_SIZE).buffer
      this.#slab = new Uint8Array(this.#memory)
      this.#used = 0
    }
    const slab = this.#slab
    const at = this.#used
    this.#used = at + length
    if (length > BYTE_LOOP_MAX) slab.set(bytes.subarray(start, end), at)
    else for (let i = 0; i < length; i++) slab[at + i] = bytes[start + i]
    return at
  }
}

/** The same bytes in memory that nothing else shares. */
export function own(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : copyOf(bytes, 0, bytes.length)
}

/** Always a copy: `slice` of a Node.js `Buffer` is a view. */
export function copyOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - start)
  copy.set(bytes.subarray(start, end))
  return copy
}
