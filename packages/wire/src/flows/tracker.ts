import type { Packet } from '../packet.ts'
import type { Queue } from './flow-table.ts'

/** Follows the flows of one transport. */
export interface Tracker {
  readonly size: number
  /** Takes the packet, which stands at its transport header; `false` where that header is broken or cut. */
  take(packet: Packet): boolean
  /** When the longest idle flow of a queue was last touched; infinity where there is none. */
  oldest(queue: Queue): number
  /** Closes the longest idle flow of a queue to make room. */
  evict(queue: Queue): void
  /** Closes what has been idle for too long at `now`. */
  sweep(now: number): void
  /** Closes everything. */
  end(): void
}
