import { NoRoom } from './no-room.ts'

/** A byte budget that several writers share. What is taken must be given back by whoever deletes it. */
export class Room {
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

  /** Throws `NoRoom` and takes nothing where the bytes do not fit. */
  take(bytes: number): void {
    if (this.#used + bytes > this.maxBytes)
      throw new NoRoom(`${bytes} bytes more would go past the maximum of ${this.maxBytes}`, bytes, this.free)
    this.#used += bytes
  }

  /** Accounts for bytes that lie on disk already, even past the maximum. */
  occupy(bytes: number): void {
    this.#used += bytes
  }

  give(bytes: number): void {
    this.#used = Math.max(0, this.#used - bytes)
  }
}
