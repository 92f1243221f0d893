import type { Connection } from '../contract/dissector.ts'

/** Prepared statements per connection. */
const MAX_STATEMENTS = 1024
/** Bytes of their texts, as a multiple of `limits.frame`. */
const MAX_TEXT_FRAMES = 4

export interface Prepared {
  readonly text?: Uint8Array | undefined
}

/**
 * Prepared statements of a connection, by name or number. The oldest are evicted; an evicted statement is unknown
 * when executed.
 */
export class StatementCache<Key, Statement extends Prepared> {
  readonly #connection: Connection
  readonly #ceiling: number
  readonly #byKey = new Map<Key, Statement>()
  #bytes = 0
  /** Counts changes: while it is unchanged, an earlier lookup is still valid. */
  changes = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.#ceiling = connection.limits.frame * MAX_TEXT_FRAMES
  }

  get(key: Key): Statement | undefined {
    return this.#byKey.get(key)
  }

  set(key: Key, statement: Statement): void {
    this.changes++
    const before = this.#byKey.get(key)
    const size = sizeOf(statement)
    const growth = size - (before === undefined ? 0 : sizeOf(before))
    const full = this.#byKey.size >= MAX_STATEMENTS || this.#bytes + growth > this.#ceiling
    if (full) {
      this.delete(key)
      this.#makeRoom(size)
    }
    const needed = full ? size : growth
    if (this.#bytes + needed > this.#ceiling || !this.#connection.budget.take(needed)) {
      this.delete(key)
      return
    }
    this.#bytes += needed
    this.#byKey.set(key, statement)
  }

  #makeRoom(size: number): void {
    for (const [oldest] of this.#byKey) {
      if (this.#byKey.size < MAX_STATEMENTS && this.#bytes + size <= this.#ceiling) return
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    const statement = this.#byKey.get(key)
    if (statement === undefined) return
    this.changes++
    const size = sizeOf(statement)
    this.#byKey.delete(key)
    this.#bytes -= size
    this.#connection.budget.give(size)
  }

  clear(): void {
    for (const key of [...this.#byKey.keys()]) this.delete(key)
  }
}

function sizeOf({ text }: Prepared): number {
  return text?.length ?? 0
}
