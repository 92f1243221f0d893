import type { Connection } from '../contract/dissector.ts'

const MIN_CAPACITY = 512
const EMPTY = new Uint8Array(0)

/** A body that arrives in pieces. Its first `limits.body` bytes are kept, all are counted. */
export class Body {
  /** Size so far, kept or not. */
  size = 0
  /** Bytes are missing in the middle. Nothing after them is kept. */
  hasHole = false
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

  /** How many more bytes can be kept. */
  get room(): number {
    return this.hasHole ? 0 : this.#connection.limits.body - this.#held
  }

  /** Adds `bytes[start, end)`, which are `length` bytes on the wire. */
  append(bytes: Uint8Array, start: number, end: number, length: number = end - start): void {
    this.size += length
    const take = Math.min(end - start, this.room)
    if (take > 0 && this.#reserve(this.#held + take)) {
      this.#bytes.set(bytes.subarray(start, start + take), this.#held)
      this.#held += take
    } else if (end > start) this.hasHole = true
    if (end - start < length) this.hasHole = true
  }

  /** Returns what was kept and resets. */
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
    this.hasHole = false
  }

  #reserve(needed: number): boolean {
    const present = this.#bytes.length
    if (needed <= present) return true
    let size = present === 0 ? MIN_CAPACITY : present * 2
    while (size < needed) size *= 2
    size = Math.min(size, this.#connection.limits.body)
    if (!this.#connection.budget.take(size - present)) return false
    const grown = new Uint8Array(size)
    grown.set(this.#bytes.subarray(0, this.#held))
    this.#bytes = grown
    return true
  }
}
