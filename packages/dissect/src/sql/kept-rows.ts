import { Body } from '../body.ts'
import type { Connection } from '../dissector.ts'

/** Results of this size and less are kept in the shared arena, which the budget does not count. */
const SMALL = 4096

/** Like `Body`, but a small result, as most are, costs a copy and no buffer of its own. */
export class KeptRows {
  readonly #connection: Connection
  #only: Uint8Array | undefined
  #body: Body | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** How many more bytes would be kept. */
  get room(): number {
    return this.#body?.room ?? this.#connection.limits.body - (this.#only?.length ?? 0)
  }

  get size(): number {
    return this.#body?.size ?? this.#only?.length ?? 0
  }

  /** Adds `bytes[start, end)`, which stand for `length` bytes on the wire. */
  append(bytes: Uint8Array, start: number, end: number, length: number): void {
    if (this.#body === undefined) {
      const small = Math.min(SMALL, this.#connection.limits.body)
      if (length === end - start && this.size + length <= small && this.#extend(bytes, start, end)) return
      this.#body = new Body(this.#connection)
      if (this.#only !== undefined) this.#body.append(this.#only, 0, this.#only.length)
      this.#only = undefined
    }
    this.#body.append(bytes, start, end, length)
  }

  /** Pieces that the arena put one after the other are one. */
  #extend(bytes: Uint8Array, start: number, end: number): boolean {
    const piece = this.#connection.copy(bytes, start, end)
    const before = this.#only
    if (before === undefined) {
      this.#only = piece
      return true
    }
    const { buffer, byteOffset, length } = before
    if (piece.buffer !== buffer || piece.byteOffset !== byteOffset + length) return false
    this.#only = new Uint8Array(buffer, byteOffset, length + piece.length)
    return true
  }

  take(): Uint8Array | undefined {
    return this.#body === undefined ? this.#only : this.#body.take()
  }

  drop(): void {
    this.#body?.drop()
  }
}
