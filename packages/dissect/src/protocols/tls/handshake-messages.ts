import type { Connection } from '../../contract/dissector.ts'

/** RFC 8446 §4 and RFC 5246 §7.4: the types there are. */
const KNOWN = new Set([0, 1, 2, 4, 5, 6, 8, 11, 12, 13, 14, 15, 16, 20, 21, 22, 23, 24, 25])
const HEADER = 4
const EMPTY = new Uint8Array(0)

/** `bytes[start, end)` is what there is of a message of `length` bytes, its header included. */
export type OnMessage = (bytes: Uint8Array, start: number, end: number, length: number) => void

/** Handshake messages of one side, which need not keep to the borders of records. */
export class HandshakeMessages {
  readonly #connection: Connection
  readonly #onMessage: OnMessage
  #bytes = EMPTY
  #held = 0
  /** Bytes of the current message that went by, and how many it has; 0: unknown. */
  #passed = 0
  #length = 0
  /** Where the next message begins is not known. */
  #blind = false

  constructor(connection: Connection, onMessage: OnMessage) {
    this.#connection = connection
    this.#onMessage = onMessage
  }

  /** What a record holds: `bytes[start, end)`, and `missing` bytes more that are lost. */
  add(bytes: Uint8Array, start: number, end: number, missing: number): void {
    if (this.#blind && !plausible(bytes, start, end)) return
    this.#blind = false
    let at = start
    while (at < end && !this.#blind) {
      if (this.#passed === 0 && end - at >= HEADER) {
        const length = HEADER + ((bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3])
        if (!KNOWN.has(bytes[at])) this.#blind = true
        else if (length <= end - at) {
          this.#onMessage(bytes, at, at + length, length)
          at += length
          continue
        }
      }
      if (!this.#blind) at = this.#collect(bytes, at, end)
    }
    if (missing > 0) this.#skip(missing)
  }

  /** Bytes between records were lost. */
  lose(): void {
    this.#drop()
    this.#blind = true
  }

  /** Nothing more will come: emits what there is of a message that has begun. */
  end(): void {
    if (this.#length > 0) this.#deliver()
    this.#drop()
  }

  #collect(bytes: Uint8Array, start: number, end: number): number {
    const wanted = (this.#length === 0 ? HEADER : this.#length) - this.#passed
    const take = Math.min(wanted, end - start)
    this.#keep(bytes, start, start + take)
    this.#passed += take
    if (this.#held < Math.min(this.#passed, HEADER)) this.lose()
    if (this.#passed < HEADER) return start + take
    if (this.#length === 0) {
      const held = this.#bytes
      this.#length = HEADER + ((held[1] << 16) | (held[2] << 8) | held[3])
      if (!KNOWN.has(held[0])) this.lose()
    }
    if (this.#length > 0 && this.#passed === this.#length) this.#deliver()
    return start + take
  }

  #skip(missing: number): void {
    const take = this.#length === 0 ? 0 : Math.min(missing, this.#length - this.#passed)
    this.#passed += take
    if (take < missing) {
      this.end()
      this.#blind = true
    } else if (this.#passed === this.#length) this.#deliver()
  }

  #deliver(): void {
    const { limits } = this.#connection
    this.#onMessage(this.#bytes, 0, Math.min(this.#held, limits.body), this.#length)
    this.#drop()
  }

  /** What comes after a gap is not kept: it would be at the wrong offset. */
  #keep(bytes: Uint8Array, start: number, end: number): void {
    if (this.#held < this.#passed) return
    const { limits, budget } = this.#connection
    const needed = Math.min(this.#held + end - start, Math.max(HEADER, limits.body))
    if (needed > this.#bytes.length) {
      const size = Math.max(needed, Math.min(2 * this.#bytes.length, limits.body))
      if (!budget.take(size - this.#bytes.length)) return
      const grown = new Uint8Array(size)
      grown.set(this.#bytes.subarray(0, this.#held))
      this.#bytes = grown
    }
    this.#bytes.set(bytes.subarray(start, start + needed - this.#held), this.#held)
    this.#held = needed
  }

  #drop(): void {
    this.#connection.budget.give(this.#bytes.length)
    this.#bytes = EMPTY
    this.#held = 0
    this.#passed = 0
    this.#length = 0
  }
}

function plausible(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start >= HEADER && KNOWN.has(bytes[start]) && bytes[start + 1] === 0
}
