import { OutOfSpace } from './out-of-space.ts'

/** A byte budget that several writers share. The deleter of bytes must give them back. */
export class DiskBudget {
  maxBytes: number
  #used = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  get used(): number {
    return this.#used
  }

  get free(): number {
    return Math.max(0, this.maxBytes - this.#used)
  }

  /** Throws `OutOfSpace` and takes nothing if the bytes do not fit. */
  take(bytes: number): void {
    if (this.#used + bytes > this.maxBytes)
      throw new OutOfSpace(
        `${bytes} more bytes would exceed the maximum of ${this.maxBytes}`,
        bytes,
        this.free,
      )
    this.#used += bytes
  }

  /** Counts bytes that are on disk already, even above the maximum. */
  occupy(bytes: number): void {
    this.#used += bytes
  }

  give(bytes: number): void {
    this.#used = Math.max(0, this.#used - bytes)
  }
}
