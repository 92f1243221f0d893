import type { Connection } from './connection.ts'
import { quote } from './quote.ts'
import type { Tables } from './tables.ts'

/** What is left of the bound when the oldest calls were deleted: a deletion rewrites parts, so it is rare. */
const KEPT_SHARE = 0.75

/** Deletes the oldest calls of a node above its bound. Beside this, the table has a time to live. */
export class Retention {
  readonly #connection: Connection
  readonly #calls: string
  readonly #flows: string
  readonly #node: string
  readonly #maxBytes: number
  /** Unix milliseconds of the newest call that was deleted. 0: none. */
  deletedUntil = 0

  constructor(connection: Connection, tables: Tables, node: string, maxBytes: number) {
    this.#connection = connection
    this.#calls = connection.table(tables.calls)
    this.#flows = connection.table(tables.flows)
    this.#node = quote(node)
    this.#maxBytes = maxBytes
  }

  async apply(): Promise<void> {
    if (this.#maxBytes === 0) return
    const [[bytes]] = await this.#connection.rows(
      `SELECT sum(size) FROM ${this.#calls} WHERE node = ${this.#node}`,
    )
    if (Number(bytes) <= this.#maxBytes) return
    const kept = Math.floor(this.#maxBytes * KEPT_SHARE)
    const [[until]] = await this.#connection.rows(
      `SELECT max(ts) FROM (
         SELECT ts, sum(size) OVER (ORDER BY ts DESC) AS bytes FROM ${this.#calls} WHERE node = ${this.#node}
       ) WHERE bytes > ${kept}`,
    )
    const synchronously = { lightweight_deletes_sync: '2' } as const
    await this.#connection.run(
      `DELETE FROM ${this.#calls} WHERE node = ${this.#node} AND ts <= toFloat64(${Number(until)})`,
      synchronously,
    )
    // Flows that may still change are kept: their next state would be taken for all of them otherwise.
    await this.#connection.run(
      `DELETE FROM ${this.#flows} WHERE node = ${this.#node} AND last_ts <= toFloat64(${Number(until)}) AND closed IS NOT NULL`,
      synchronously,
    )
    this.deletedUntil = Number(until) / 1000
  }
}
