import type { Reassembly } from './reassembly.ts'
import type { RoundTrips } from './round-trips.ts'
import type { TcpConnection } from './tcp-connection.ts'
import {
  ACK_TIME,
  ACKED,
  ACKED_TO,
  DUPLICATE_ACKS,
  DUPLICATES,
  END,
  FIN_SEEN,
  HOLDS,
  KEPT_ALIVE,
  MAX,
  SHIFT,
  TIMED,
  WINDOW,
  ZERO_WINDOW,
} from './tcp-row.ts'
import type { TcpSegment } from './tcp-segment.ts'

/** Handles acknowledgements: round trips, duplicates, windows, and bytes that were received but not captured. */
export class Acknowledgements {
  readonly #trips: RoundTrips
  readonly #reassembly: Reassembly

  constructor(trips: RoundTrips, reassembly: Reassembly) {
    this.#trips = trips
    this.#reassembly = reassembly
  }

  /** A segment of `from` acknowledges what `to` sent before, and offers a window. */
  take(connection: TcpConnection, from: number, to: number, segment: TcpSegment): void {
    const { ints, doubles } = connection
    const { seq, ack, window, length, time, fin } = segment
    const shift = ints[from + SHIFT]
    const scaled = shift > 0 ? window << shift : window
    const grown = (ack - ints[from + ACKED_TO]) | 0
    if (grown > 0 || (ints[from + END] & ACKED) === 0) {
      ints[from + END] |= ACKED
      ints[from + ACKED_TO] = ack
      doubles[(from >> 1) + ACK_TIME] = time
      ints[from + DUPLICATES] = 0
      if (ints[to + TIMED] > 0) this.#trips.acknowledged(connection, to, ack, time)
      if (ints[to + END] & (HOLDS | FIN_SEEN)) this.#reassembly.settle(connection, to, time)
    } else if (
      grown === 0 &&
      length === 0 &&
      scaled !== 0 &&
      scaled === ints[from + WINDOW] &&
      seq === ints[from + MAX]
    ) {
      if ((ints[to + END] & KEPT_ALIVE) === 0 && !fin) {
        connection.count(DUPLICATE_ACKS)
        ints[from + DUPLICATES]++
        doubles[(from >> 1) + ACK_TIME] = time
      }
    }
    ints[from + WINDOW] = scaled
    if (window === 0 && !fin) connection.count(ZERO_WINDOW)
  }
}
