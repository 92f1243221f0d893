import type { Connection } from '../contract/dissector.ts'
import { Body } from '../message/body.ts'
import type { PlacedMessage } from '../message/placed-message.ts'

/** Results up to this size are kept in the shared arena, which the budget does not count. */
const MAX_ARENA_RESULT = 4096

/**
 * Like `Body`, but a small result needs only an arena copy. Adjacent pieces are copied together by `settle`, which
 * the caller must call before the bytes change.
 */
export class KeptRows {
  readonly #connection: Connection
  readonly #small: number
  /** Not copied yet: `bytes[from, to)`. */
  #bytes: Uint8Array | undefined
  #from = 0
  #to = 0
  /** Copied: `memory[at, end)`, unless `#body` is set. */
  #memory: Uint8Array | undefined
  #at = 0
  #end = 0
  #body: Body | undefined

  constructor(connection: Connection) {
    this.#connection = connection
    this.#small = Math.min(MAX_ARENA_RESULT, connection.limits.body)
  }

  /** How many more bytes can be kept. */
  get room(): number {
    return this.#body?.room ?? this.#connection.limits.body - this.size
  }

  get size(): number {
    return this.#body?.size ?? this.#end - this.#at + this.#to - this.#from
  }

  /** Adds `bytes[start, end)`, which are `length` bytes on the wire. */
  append(bytes: Uint8Array, start: number, end: number, length: number): void {
    const isSmall = this.#body === undefined && length === end - start && this.size + length <= this.#small
    if (isSmall && bytes === this.#bytes && start === this.#to) {
      this.#to = end
      return
    }
    this.settle()
    if (isSmall && this.#body === undefined) {
      this.#bytes = bytes
      this.#from = start
      this.#to = end
    } else this.#embody().append(bytes, start, end, length)
  }

  /** Copies pending bytes. */
  settle(): void {
    const bytes = this.#bytes
    if (bytes === undefined) return
    const from = this.#from
    const to = this.#to
    this.#bytes = undefined
    this.#from = 0
    this.#to = 0
    if (this.#body !== undefined || !this.#extend(bytes, from, to)) this.#embody().append(bytes, from, to)
  }

  #embody(): Body {
    if (this.#body !== undefined) return this.#body
    const body = new Body(this.#connection)
    if (this.#memory !== undefined) body.append(this.#memory, this.#at, this.#end)
    this.#memory = undefined
    this.#at = 0
    this.#end = 0
    this.#body = body
    return body
  }

  /** Joins pieces that are adjacent in the arena. */
  #extend(bytes: Uint8Array, start: number, end: number): boolean {
    const { arena } = this.#connection
    const at = arena.place(bytes, start, end)
    if (this.#memory === undefined) {
      this.#memory = arena.placed
      this.#at = at
    } else if (this.#memory !== arena.placed || this.#end !== at) return false
    this.#end = at + end - start
    return true
  }

  /** Sets the body of a message, and its size if not all of it was kept. */
  moveTo(message: PlacedMessage): void {
    const { size } = this
    this.settle()
    const body = this.#body?.take()
    if (body !== undefined) message.placeBody(body, 0, body.length)
    else if (this.#memory !== undefined) message.placeBody(this.#memory, this.#at, this.#end)
    if (size <= message.bodyEnd - message.bodyAt) return
    message.bodySize = size
    message.truncated = true
  }

  drop(): void {
    this.#bytes = undefined
    this.#body?.drop()
  }
}

/** Sets `bytes[start, end)`, which came at once, as the body of a message. */
export function placeRows(
  connection: Connection,
  bytes: Uint8Array,
  start: number,
  end: number,
  message: PlacedMessage,
): void {
  const { arena, limits } = connection
  if (end - start <= Math.min(MAX_ARENA_RESULT, limits.body)) {
    const at = arena.place(bytes, start, end)
    message.placeBody(arena.placed, at, at + end - start)
    return
  }
  const rows = new KeptRows(connection)
  rows.append(bytes, start, end, end - start)
  rows.moveTo(message)
}
