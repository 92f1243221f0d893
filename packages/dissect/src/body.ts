import type { Connection } from './dissector.ts'

const FIRST = 512
const EMPTY = new Uint8Array(0)

/** A body that arrives in pieces: its first `limits.body` bytes are kept, all are counted. */
export class Body {
  /** True size so far, kept or not. */
  size = 0
  /** Something between the first and the last kept byte is missing: nothing after it is kept. */
  holed = false
  readonly #connection: Connection
  #bytes = EMPTY
  #held = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get held(): number {
    return this.#held
  }

  get truncated(): boolean {
    return this.#held < this.size
  }

  /** How many more bytes would be kept. */
  get room(): number {
    return this.holed ? 0 : this.#connection.limits.body - this.#held
  }

  /** Adds `bytes[start, end)`, which stand for `length` bytes on the wire. */
  append(bytes: Uint8Array, start: number, end: number, length: number = end - start): void {
    this.size += length
    const take = Math.min(end - start, this.room)
    if (take > 0 && this.#reserve(this.#held + take)) {
      this.#bytes.set(bytes.subarray(start, start + take), this.#held)
      this.#held += take
    } else if (end > start) this.holed = true
    if (end - start < length) this.holed = true
  }

  /** Hands out what was kept and begins anew. */
  take(): Uint8Array | undefined {
    const kept = this.#held === 0 ? undefined : this.#bytes.subarray(0, this.#held)
    this.drop()
    return kept
  }

  drop(): void {
    this.#connection.budget.give(this.#bytes.length)
    this.#bytes = EMPTY
    this.#held = 0
    this.size = 0
    this.holed = false
  }

  #reserve(needed: number): boolean {
    const present = this.#bytes.length
    if (needed <= present) return true
    let size = present === 0 ? FIRST : present * 2
    while (size < needed) size *= 2
    size = Math.min(size, this.#connection.limits.body)
    if (!this.#connection.budget.take(size - present)) return false
    const grown = new Uint8Array(size)
    grown.set(this.#bytes.subarray(0, this.#held))
    this.#bytes = grown
    return true
  }
}
