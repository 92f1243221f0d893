const SLAB = 64 * 1024
/** Larger copies get memory of their own: they would leave too much of a slab unused. */
const LARGE = SLAB / 4

/** Shorter copies are cheaper byte by byte. */
const SHORT = 64

/**
 * Copies that cost no allocation each: slices of slabs that are filled one after the other. A slab lives as long
 * as any slice of it, so whoever keeps a slice for long takes it out with `own`. Of bytes that last, a slice is as good.
 */
export class Arena {
  #lasting: Uint8Array | undefined
  #lastingMemory: ArrayBufferLike | undefined
  #lastingOffset = 0
  #slab = new Uint8Array(0)
  /** Of the slab: asking a view for its buffer costs as much as a short copy. */
  #memory = this.#slab.buffer
  #used = 0
  /** Where what was placed last stands. */
  placed: Uint8Array = this.#slab

  /** These bytes will not change any more, until others are named. */
  lasting(bytes: Uint8Array): void {
    this.#lasting = bytes
    this.#lastingMemory = bytes.buffer
    this.#lastingOffset = bytes.byteOffset
  }

  copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const length = end - start
    if (bytes === this.#lasting && this.#lastingMemory !== undefined)
      return new Uint8Array(this.#lastingMemory, this.#lastingOffset + start, length)
    if (length > LARGE) return copyOf(bytes, start, end)
    const at = this.#fill(bytes, start, end)
    return new Uint8Array(this.#memory, at, length)
  }

  /** The same without a view, which costs more than a short copy: returns where in `placed` the bytes stand. */
  place(bytes: Uint8Array, start: number, end: number): number {
    if (bytes === this.#lasting) {
      // The collector is told of each pointer that is stored, the same or not.
      if (this.placed !== bytes) this.placed = bytes
      return start
    }
    if (end - start > LARGE) {
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
      // Not zeroed: what is handed out is written first.
      this.#memory = Buffer.allocUnsafeSlow(SLAB).buffer
      this.#slab = new Uint8Array(this.#memory)
      this.#used = 0
    }
    const slab = this.#slab
    const at = this.#used
    this.#used = at + length
    if (length > SHORT) slab.set(bytes.subarray(start, end), at)
    else for (let i = 0; i < length; i++) slab[at + i] = bytes[start + i]
    return at
  }
}

/** The same bytes in memory that nothing else shares. */
export function own(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : copyOf(bytes, 0, bytes.length)
}

/** A copy whatever the bytes come in: `slice` of a Node `Buffer` is a view. */
export function copyOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - start)
  copy.set(bytes.subarray(start, end))
  return copy
}
