import type { TcpConnection } from './tcp-connection.ts'
import { ACK, FIN, RST, SYN } from './tcp-flags.ts'
import {
  ACK_TIME,
  ACKED,
  ACKED_TO,
  DUPLICATES,
  END,
  FAST_RETRANSMISSIONS,
  HANDSHAKE_TIMED,
  INITIAL_RTT,
  KEEP_ALIVE,
  KNOWN,
  MAX,
  MAX_TIME,
  NEXT,
  NO_SCALE,
  OUT_OF_ORDER,
  RETRANSMISSIONS,
  SHIFT,
  WINDOW,
  WINDOW_FULL,
} from './tcp-row.ts'
import type { TcpSegment } from './tcp-segment.ts'

/** A retransmission this soon after the duplicate acknowledgements is a fast one. */
const FAST_US = 20_000
/** An earlier segment that comes this soon was reordered, not resent. The round trip of the connection is a better bound. */
const OVERTAKEN_US = 3_000

export type Oddity = 'keep-alive' | 'retransmission' | 'overtaken' | undefined

/**
 * Classifies a segment that is not simply the next one, by the rules that Wireshark documents for tcp.analysis, and
 * counts it. Called before the segment changes the state of its sender. `isLater`: its sender sent it after those before.
 */
export function classify(
  connection: TcpConnection,
  from: number,
  to: number,
  segment: TcpSegment,
  isLater: boolean,
): Oddity {
  const { ints, doubles } = connection
  if ((ints[from + END] & KNOWN) === 0) return undefined
  const { seq, flags, time } = segment
  const payload = segment.length
  const behind = (ints[from + MAX] - seq) | 0
  // A keep-alive repeats a byte; a new byte is data.
  const isNew = payload === 1 && ((seq - ints[from + NEXT]) | 0) >= 0
  if (behind === 1 && payload <= 1 && !isNew && (flags & (SYN | FIN | RST)) === 0) {
    connection.count(KEEP_ALIVE)
    return 'keep-alive'
  }
  const length = payload + (flags & SYN ? 1 : 0) + (flags & FIN ? 1 : 0)
  if (behind <= 0 || length === 0) return undefined
  // In a simultaneous open each side repeats its SYN with an acknowledgement.
  if ((flags & (SYN | ACK)) === (SYN | ACK) && (ints[from + END] & ACKED) === 0) return undefined
  const end = (seq + length) | 0
  const spurious = payload > 0 && (ints[to + END] & ACKED) !== 0 && ((end - ints[to + ACKED_TO]) | 0) <= 0
  if (!spurious) {
    if (
      ints[to + DUPLICATES] >= 2 &&
      ints[to + ACKED_TO] === seq &&
      time - doubles[(to >> 1) + ACK_TIME] < FAST_US
    )
      connection.count(FAST_RETRANSMISSIONS)
    else if (
      !isLater &&
      end !== ints[from + MAX] &&
      isOvertaken(connection, time - doubles[(from >> 1) + MAX_TIME])
    ) {
      connection.count(OUT_OF_ORDER)
      return 'overtaken'
    }
  }
  connection.count(RETRANSMISSIONS)
  return 'retransmission'
}

function isOvertaken(connection: TcpConnection, elapsed: number): boolean {
  const { doubles, both } = connection
  return (
    elapsed >= 0 &&
    elapsed < (connection.is(HANDSHAKE_TIMED) ? doubles[(both >> 1) + INITIAL_RTT] : OVERTAKEN_US)
  )
}

/** Counts a segment that fills the receive window of the other end. */
export function checkWindow(connection: TcpConnection, to: number, stop: number): void {
  const { ints } = connection
  if (((stop - ints[to + ACKED_TO]) | 0) !== ints[to + WINDOW]) return
  if (ints[to + SHIFT] !== NO_SCALE && ints[to + END] & ACKED) connection.count(WINDOW_FULL)
}
