import type { RoundTrips } from './round-trips.ts'
import type { TcpConnection } from './tcp-connection.ts'
import { SEEN } from './tcp-flags.ts'
import {
  ACK_TIME,
  ACKED,
  ACKED_TO,
  COMPLETENESS,
  END,
  FIRST_SYN,
  HANDSHAKE,
  HANDSHAKE_TIMED,
  HANDSHAKING,
  INITIAL,
  INITIAL_RTT,
  KNOWN,
  LAST_SYN,
  MAX,
  NO_SCALE,
  SCALE,
  SHIFT,
  STATE,
  SYN_SEEN,
  WINDOW,
} from './tcp-row.ts'
import type { TcpSegment } from './tcp-segment.ts'
import { windowScale } from './window-scale.ts'

/** Updates both ends from a SYN or SYN-ACK. */
export function synchronize(
  connection: TcpConnection,
  from: number,
  to: number,
  segment: TcpSegment,
  trips: RoundTrips,
): void {
  const { ints, doubles, both } = connection
  const { time } = segment
  if (segment.acknowledges) {
    ints[both + COMPLETENESS] |= SEEN.synAck
    if ((ints[from + END] & ACKED) === 0 || ints[from + ACKED_TO] !== segment.ack) {
      ints[from + END] |= ACKED
      ints[from + ACKED_TO] = segment.ack
      doubles[(from >> 1) + ACK_TIME] = time
      trips.acknowledged(connection, to, segment.ack, time)
    }
    connection.begin(to, segment.ack, time)
  } else {
    ints[both + COMPLETENESS] |= SEEN.syn
    if (connection.side(from) === 0) {
      const at = both >> 1
      if (doubles[at + FIRST_SYN] === 0) doubles[at + FIRST_SYN] = time
      doubles[at + LAST_SYN] = time
    }
  }
  ints[from + WINDOW] = segment.window
  if (ints[from + END] & SYN_SEEN) return
  ints[from + END] |= SYN_SEEN
  ints[from + INITIAL] = segment.seq
  ints[from + SCALE] = windowScale(segment.data, segment.at + 20, Math.min(segment.body, segment.end))
  if (ints[to + END] & SYN_SEEN) {
    // RFC 7323: windows are scaled only where both ends offer it.
    const scaled = ints[from + SCALE] !== NO_SCALE && ints[to + SCALE] !== NO_SCALE
    ints[from + SHIFT] = scaled ? ints[from + SCALE] : 0
    ints[to + SHIFT] = scaled ? ints[to + SCALE] : 0
  }
  if (ints[from + END] & KNOWN) return
  connection.begin(from, (segment.seq + 1) | 0, time)
  trips.sent(connection, from, ints[from + MAX], time)
}

/** The client's first acknowledgement after the SYN-ACK, or after a SYN-ACK that was not captured. */
export function completeHandshake(
  connection: TcpConnection,
  from: number,
  to: number,
  segment: TcpSegment,
): void {
  if (connection.side(from) !== 0) return
  const { ints, doubles, both } = connection
  const { ack, seq, time } = segment
  const at = both >> 1
  ints[both + STATE] &= ~HANDSHAKING
  connection.begin(to, ack, time)
  connection.updateFastPath(to, from)
  if ((ints[from + END] & ints[to + END] & SYN_SEEN) === 0 || doubles[at + FIRST_SYN] === 0) return
  if (seq !== ((ints[from + INITIAL] + 1) | 0) || ack !== ((ints[to + INITIAL] + 1) | 0)) return
  ints[both + STATE] |= HANDSHAKE_TIMED
  doubles[at + HANDSHAKE] = Math.round(time - doubles[at + FIRST_SYN])
  doubles[at + INITIAL_RTT] = Math.round(time - doubles[at + LAST_SYN])
}

/** Whether a reset refuses a SYN. */
export function isRefusal(connection: TcpConnection, from: number, to: number): boolean {
  const { ints, both } = connection
  const isAsked = (ints[to + END] & ~ints[from + END] & SYN_SEEN) !== 0
  return isAsked && (ints[both + COMPLETENESS] & (SEEN.synAck | SEEN.data)) === 0
}
