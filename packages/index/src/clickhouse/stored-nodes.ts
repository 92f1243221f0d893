import type { Reading } from './reading.ts'
import { ARRIVAL_COLUMN } from './tables.ts'

/** After this time all rows are read again: nodes whose rows have been deleted are forgotten. */
const ALL_SECONDS = 3600
/** An insert can become visible so long after it was sent. */
const OVERLAP_SECONDS = 600

/** The nodes that have stored calls. Only what arrived since the last look is read: the table may have billions of rows. */
export class StoredNodes {
  #names = new Set<string>()
  #lookedAt = 0
  #allReadAt = 0

  async read({ connection, calls }: Reading): Promise<readonly string[]> {
    const now = connection.serverSeconds
    const all = now - this.#allReadAt >= ALL_SECONDS
    const since = all ? 0 : this.#lookedAt - OVERLAP_SECONDS
    const rows = await connection.rows(
      `SELECT DISTINCT node FROM ${calls} WHERE ${ARRIVAL_COLUMN} >= toDateTime(${Math.max(0, since)})`,
    )
    if (all) {
      this.#names = new Set()
      this.#allReadAt = now
    }
    for (const [node] of rows) this.#names.add(String(node))
    this.#lookedAt = now
    return [...this.#names].sort()
  }
}
