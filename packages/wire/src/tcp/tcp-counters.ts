import type { Side, TcpMetrics } from '../flow.ts'
import { START } from '../flows/flow-counter-table.ts'
import {
  ANSWERED,
  COMPLETENESS,
  DUPLICATE_ACKS,
  FAST_RETRANSMISSIONS,
  FIN_HIGH,
  FIN_LOW,
  FINS,
  FIRST_BYTE,
  HANDSHAKE,
  HANDSHAKE_TIMED,
  INITIAL_RTT,
  JITTER,
  KEEP_ALIVE,
  OUT_OF_ORDER,
  OVERLAP_CONFLICTS,
  RESET_HIGH,
  RESET_LOW,
  RESETS,
  RETRANSMISSIONS,
  RTT_MAX,
  RTT_MIN,
  RTT_SAMPLES,
  RTT_SUM,
  STATE,
  WINDOW_FULL,
  ZERO_WINDOW,
  ZERO_WINDOW_HIGH,
  ZERO_WINDOW_LOW,
} from './tcp-row.ts'

/** The measurements of a connection as an object. All keys exist from the start, so that its hidden class never changes. */
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
  client_zero_window_us?: number | undefined
  server_zero_window_us?: number | undefined
  client_fin_us?: number | undefined
  server_fin_us?: number | undefined
  client_reset_us?: number | undefined
  server_reset_us?: number | undefined

  /** Copies them out of the row of a connection: what both ends share begins at `both`. */
  read(ints: Int32Array, doubles: Float64Array, both: number, lowSide: Side): void {
    const double = both >> 1
    const state = ints[both + STATE]
    const samples = ints[both + RTT_SAMPLES]
    const start = doubles[double + START]
    if (state & HANDSHAKE_TIMED) {
      this.handshake_us = doubles[double + HANDSHAKE]
      this.initial_rtt_us = doubles[double + INITIAL_RTT]
    }
    if (state & ANSWERED) this.time_to_first_byte_us = doubles[double + FIRST_BYTE]
    if (samples > 0) {
      this.rtt_min_us = doubles[double + RTT_MIN]
      this.rtt_max_us = doubles[double + RTT_MAX]
      this.rtt_avg_us = Math.round(doubles[double + RTT_SUM] / samples)
    }
    this.rtt_samples = samples
    if (samples > 1) this.jitter_us = Math.round(doubles[double + JITTER])
    this.retransmissions = ints[both + RETRANSMISSIONS]
    this.fast_retransmissions = ints[both + FAST_RETRANSMISSIONS]
    this.duplicate_acks = ints[both + DUPLICATE_ACKS]
    this.out_of_order = ints[both + OUT_OF_ORDER]
    this.overlap_conflicts = ints[both + OVERLAP_CONFLICTS]
    this.zero_window = ints[both + ZERO_WINDOW]
    this.window_full = ints[both + WINDOW_FULL]
    this.keep_alive = ints[both + KEEP_ALIVE]
    this.resets = ints[both + RESETS]
    this.fins = ints[both + FINS]
    this.completeness = ints[both + COMPLETENESS]
    if (this.zero_window > 0) {
      const low = zeroWindowAt(ints[both + ZERO_WINDOW_LOW])
      const high = zeroWindowAt(ints[both + ZERO_WINDOW_HIGH])
      this.client_zero_window_us = lowSide === 0 ? low : high
      this.server_zero_window_us = lowSide === 0 ? high : low
    }
    if (this.fins > 0) {
      const low = since(start, doubles[double + FIN_LOW])
      const high = since(start, doubles[double + FIN_HIGH])
      this.client_fin_us = lowSide === 0 ? low : high
      this.server_fin_us = lowSide === 0 ? high : low
    }
    if (this.resets > 0) {
      const low = since(start, doubles[double + RESET_LOW])
      const high = since(start, doubles[double + RESET_HIGH])
      this.client_reset_us = lowSide === 0 ? low : high
      this.server_reset_us = lowSide === 0 ? high : low
    }
  }
}

function zeroWindowAt(stored: number): number | undefined {
  return stored === 0 ? undefined : (stored - 1) * 1000
}

function since(start: number, time: number): number | undefined {
  return time === 0 ? undefined : Math.max(0, time - start)
}
