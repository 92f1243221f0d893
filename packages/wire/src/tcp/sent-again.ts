import { addResent } from './resent.ts'
import type { RoundTrips } from './round-trips.ts'
import type { TcpConnection } from './tcp-connection.ts'
import { ACKED, ACKED_BY_RESET, ACKED_TO, END, FIN_AT, FIN_SEEN, MAX, MAX_TIME } from './tcp-row.ts'
import type { TcpSegment } from './tcp-segment.ts'

/** Bytes were sent again. When they were sent first is known of the oldest and of the furthest that are not acknowledged. */
export function sentAgain(
  connection: TcpConnection,
  from: number,
  to: number,
  segment: TcpSegment,
  trips: RoundTrips,
): void {
  const { ints, doubles, flow } = connection
  const { stop, length, time } = segment
  const furthest = stop === ints[from + MAX] ? doubles[(from >> 1) + MAX_TIME] : 0
  const oldest = connection.unacked(from) || trips.oldest(connection, from) || furthest
  trips.forget(connection, from)
  if (length === 0) return
  const isAcked = (ints[to + END] & ACKED) !== 0 && ((stop - ints[to + ACKED_TO]) | 0) <= 0
  const sent = isAcked ? furthest : oldest
  if (sent === 0) return
  addResent(flow, from !== connection.low, sent, time)
  if (!isAcked && connection.unacked(from) === 0) connection.setUnacked(from, sent)
}

/** A reset ended the connection before the other end acknowledged all bytes of this one. */
export function cutOff(connection: TcpConnection, end: number, trips: RoundTrips): void {
  const { ints, doubles } = connection
  const peer = connection.peer(end)
  const stop = ints[end + END] & FIN_SEEN ? ints[end + FIN_AT] : ints[end + MAX]
  if (connection.unacked(end) !== 0 || (ints[end + END] & ACKED_BY_RESET) !== 0) return
  if ((ints[peer + END] & ACKED) === 0 || ((stop - ints[peer + ACKED_TO]) | 0) <= 0) return
  connection.setUnacked(end, trips.oldest(connection, end) ?? doubles[(end >> 1) + MAX_TIME])
}
