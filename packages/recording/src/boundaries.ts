/** What the recording of one node holds. Times are Unix milliseconds, null before any packet. */
export interface Boundaries {
  readonly oldest_ts: number | null
  readonly newest_ts: number | null
  readonly size_bytes: number
  readonly packet_count: number
  readonly dropped_packets: number
}
