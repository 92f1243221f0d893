import type { Workers } from '../cluster/workers.ts'
import type { RecordingRecord } from './recording-record.ts'

/** How long a packet may be under way from the wire until its worker has reported its time. */
export const SETTLE_MS = 2500
/** How long the end of a recording waits for nodes that are away. */
const AWAIT_NODES_MS = 30_000

/** How long a recording that has ended waits for the last packets of its nodes. */
export class EndWait {
  readonly #workers: Workers
  /** When the hub started: its workers come after that. */
  readonly #openedAt: number

  constructor(workers: Workers, openedAt: number) {
    this.#workers = workers
    this.#openedAt = openedAt
  }

  /** The last packets have arrived at their nodes, and these are connected or do not come back. */
  isReady(record: RecordingRecord, now: number): boolean {
    const { ended_ts, nodes } = record
    if (now < (ended_ts ?? now) + SETTLE_MS) return false
    const here = new Set(this.#workers.connected.map(({ node }) => node))
    const known = nodes.length > 0 && nodes.every(({ name }) => here.has(name))
    return known || this.isOver(record, now) || (nodes.length === 0 && here.size > 0)
  }

  /** What no node has given by now is missing. */
  isOver({ ended_ts }: RecordingRecord, now: number): boolean {
    return now > Math.max(ended_ts ?? now, this.#openedAt) + AWAIT_NODES_MS
  }
}
