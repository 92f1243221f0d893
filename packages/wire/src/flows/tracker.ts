import type { Packet } from '../packet.ts'
import type { Queue } from './flow-table.ts'

/** Follows the flows of one transport. */
export interface Tracker {
  readonly size: number
  /** Takes a packet whose `at` is its transport header; `false` if that header is malformed or cut. */
  take(packet: Packet): boolean
  /** When the longest idle flow of a queue was last touched; infinity if the queue is empty. */
  oldest(queue: Queue): number
  /** Closes the longest idle flow of a queue. */
  evict(queue: Queue): void
  /** Closes what has been idle for too long at `now`. */
  sweep(now: number): void
  /** Closes everything. */
  end(): void
}
