import type { RoundTrips } from './round-trips.ts'
import type { TcpConnection } from './tcp-connection.ts'
import { SEEN } from './tcp-flags.ts'
import type { TcpSegment } from './tcp-segment.ts'
import { NO_SCALE, type TcpSender } from './tcp-sender.ts'
import { windowScale } from './window-scale.ts'

/** Takes what a SYN or SYN-ACK tells of both ends. */
export function synchronize(
  connection: TcpConnection,
  from: TcpSender,
  to: TcpSender,
  segment: TcpSegment,
  trips: RoundTrips,
): void {
  const { time } = segment
  if (segment.acknowledges) {
    connection.metrics.completeness |= SEEN.synAck
    if (!from.acked || from.ack !== segment.ack) {
      from.acked = true
      from.ack = segment.ack
      from.ackTime = time
      trips.acknowledged(connection, to, segment.ack, time)
    }
    to.begin(segment.ack, time)
  } else {
    connection.metrics.completeness |= SEEN.syn
    if (connection.flow.side(from.high) === 0) {
      if (connection.firstSyn === 0) connection.firstSyn = time
      connection.lastSyn = time
    }
  }
  from.window = segment.window
  if (from.synSeen) return
  from.synSeen = true
  from.initial = segment.seq
  from.scale = windowScale(segment.data, segment.at + 20, Math.min(segment.body, segment.end))
  if (to.synSeen) {
    // RFC 7323: windows are scaled only where both ends offer it.
    const scaled = from.scale !== NO_SCALE && to.scale !== NO_SCALE
    from.shift = scaled ? from.scale : 0
    to.shift = scaled ? to.scale : 0
  }
  if (from.known) return
  from.begin((segment.seq + 1) | 0, time)
  trips.sent(from, from.max, time)
}

/** The client's first acknowledgement after the SYN-ACK, or after a SYN-ACK that was not captured. */
export function completeHandshake(
  connection: TcpConnection,
  from: TcpSender,
  to: TcpSender,
  segment: TcpSegment,
): void {
  if (connection.flow.side(from.high) !== 0) return
  const { ack, seq, time } = segment
  connection.handshaking = false
  to.begin(ack, time)
  to.calm = to.next === to.max && !to.finSeen
  if (!from.synSeen || !to.synSeen || connection.firstSyn === 0) return
  if (seq !== ((from.initial + 1) | 0) || ack !== ((to.initial + 1) | 0)) return
  connection.metrics.handshake_us = Math.round(time - connection.firstSyn)
  connection.metrics.initial_rtt_us = Math.round(time - connection.lastSyn)
}
