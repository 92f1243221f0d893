import type { Drops } from './drops.ts'

/** What the recording of one node holds. Times are Unix milliseconds, null before any packet. */
export interface Boundaries {
  readonly oldest_ts: number | null
  readonly newest_ts: number | null
  readonly size_bytes: number
  readonly packet_count: number
  readonly dropped_packets: number
  /** The same, by where they were lost; absent where only the sum is known. */
  readonly drops?: Drops
}
