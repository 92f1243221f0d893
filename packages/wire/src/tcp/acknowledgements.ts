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
  MAX_TIME,
  RESENT,
  SHIFT,
  TIMED,
  WINDOW,
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
    const { seq, ack, window, length, time, fin } = segment
    const grown = this.advance(connection, from, to, ack, time)
    if (grown === 0 && length === 0 && !fin && seq === connection.ints[from + MAX])
      this.repeat(connection, from, to, window, time)
    this.offer(connection, from, window)
    if (window === 0 && !fin) connection.zeroWindow(from, time)
  }

  /** Returns how far the acknowledgement is ahead of those before: above 0 if it is new, 0 if it is the same again. */
  advance(connection: TcpConnection, from: number, to: number, ack: number, time: number): number {
    const { ints, doubles } = connection
    const grown = (ack - ints[from + ACKED_TO]) | 0
    if (grown <= 0 && (ints[from + END] & ACKED) !== 0) return grown
    ints[from + END] |= ACKED
    ints[from + ACKED_TO] = ack
    doubles[(from >> 1) + ACK_TIME] = time
    ints[from + DUPLICATES] = 0
    if (ints[to + TIMED] > 0) this.#trips.acknowledged(connection, to, ack, time)
    const state = ints[to + END]
    if (state & (HOLDS | FIN_SEEN | RESENT)) {
      // After a part of what was resent, the rest is not older than the furthest segment, as far as is known.
      if (state & RESENT)
        connection.setUnacked(to, ((ints[to + MAX] - ack) | 0) <= 0 ? 0 : doubles[(to >> 1) + MAX_TIME])
      if (state & (HOLDS | FIN_SEEN)) this.#reassembly.settle(connection, to, time)
    }
    return 1
  }

  /** The same acknowledgement again, without payload: a duplicate, unless it changes the window or keeps alive. */
  repeat(connection: TcpConnection, from: number, to: number, window: number, time: number): void {
    const { ints, doubles } = connection
    if (window === 0 || scaled(ints, from, window) !== ints[from + WINDOW]) return
    if ((ints[to + END] & KEPT_ALIVE) !== 0) return
    connection.count(DUPLICATE_ACKS)
    ints[from + DUPLICATES]++
    doubles[(from >> 1) + ACK_TIME] = time
  }

  /** After `repeat`, which compares with the window before. */
  offer({ ints }: TcpConnection, from: number, window: number): void {
    ints[from + WINDOW] = scaled(ints, from, window)
  }
}

function scaled(ints: Int32Array, from: number, window: number): number {
  const shift = ints[from + SHIFT]
  return shift > 0 ? window << shift : window
}
