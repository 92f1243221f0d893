import type { TcpMetrics } from '../flow.ts'

/** Fresh measurements of a connection. All keys stand from the start, so that the shape never changes. */
export class TcpCounters implements TcpMetrics {
  handshake_us?: number
  initial_rtt_us?: number
  time_to_first_byte_us?: number
  rtt_min_us?: number
  rtt_max_us?: number
  rtt_avg_us?: number
  rtt_samples = 0
  jitter_us?: number
  retransmissions = 0
  fast_retransmissions = 0
  duplicate_acks = 0
  out_of_order = 0
  overlap_conflicts = 0
  zero_window = 0
  window_full = 0
  keep_alive = 0
  resets = 0
  fins = 0
  completeness = 0
}
