import type { Packet } from '../packet.ts'
import type { TcpConnection } from './tcp-connection.ts'
import {
  ACK_TIME,
  ACKED,
  ACKED_TO,
  END,
  IN_TUNNEL,
  LAST_ID,
  MAX,
  MAX_TIME,
  SEEN_IDS,
  SENT,
} from './tcp-row.ts'
import type { TcpSegment } from './tcp-segment.ts'

/** The identification of an IPv4 packet; 0 where it has none. */
export function identification({ view, ip, v6 }: Packet): number {
  return v6 ? 0 : view.getUint16(ip + 4)
}

/** Copies pass the devices of a node, or the taps of two nodes, within this time. A retransmission timer waits for 200 ms. */
const COPIED_WITHIN_US = 100_000
/** Without an identification, only a tail of the stream that comes again this soon is a copy: probes wait longer. */
const AT_ONCE_US = 1000
/** Identifications that a sender used within that time. Of the last ones it is known which: a late packet is no copy. */
const USED_IDS = 1024
const KNOWN_IDS = 32

/**
 * Whether a segment without new bytes is a copy of a packet that was captured before: on another device, or inside and
 * outside of a tunnel. Senders that count their IPv4 packets (RFC 6864 allows it, and most do) give a retransmission an
 * identification of its own, and a copy keeps that of its packet. The caller knows that all its bytes were seen, and
 * how much time has `elapsed` since the packet before it.
 */
export function isCopy(
  connection: TcpConnection,
  from: number,
  segment: TcpSegment,
  packet: Packet,
  elapsed: number,
): boolean {
  const { ints, doubles } = connection
  if (isOnOtherPath(ints, from, packet)) return true
  const { time, stop, syn } = segment
  if (Math.abs(elapsed) > COPIED_WITHIN_US) return false
  const id = identification(packet)
  if (id === 0) {
    const since = time - doubles[(from >> 1) + MAX_TIME]
    if (syn) return since <= COPIED_WITHIN_US
    return packet.v6 && stop === ints[from + MAX] && since <= AT_ONCE_US
  }
  return isUsed(ints, from, id)
}

/** The same for an acknowledgement without payload that acknowledges nothing new. */
export function isCopiedAcknowledgement(
  { ints, doubles }: TcpConnection,
  from: number,
  ack: number,
  packet: Packet,
): boolean {
  const state = ints[from + END]
  // The first acknowledgement of an end is no copy, whatever its identification is.
  if ((state & SENT) === 0 || (state & ACKED) === 0 || ((ack - ints[from + ACKED_TO]) | 0) > 0) return false
  if (isOnOtherPath(ints, from, packet)) return true
  const at = from >> 1
  const last = Math.max(doubles[at + ACK_TIME], doubles[at + MAX_TIME])
  return Math.abs(packet.time - last) <= COPIED_WITHIN_US && isUsed(ints, from, identification(packet))
}

/** Notes a packet that is no copy. A late one does not turn the identifications back: copies of others may follow. */
export function noteCaptured(ints: Int32Array, from: number, packet: Packet): void {
  if ((ints[from + END] & SENT) === 0) ints[from + END] |= packet.tunnel === '' ? SENT : SENT | IN_TUNNEL
  noteIdentification(ints, from, identification(packet))
}

export function noteIdentification(ints: Int32Array, from: number, id: number): void {
  if (id === 0) return
  const last = ints[from + LAST_ID]
  const back = (last - id) & 0xffff
  if (last !== 0 && back < USED_IDS) {
    if (back < KNOWN_IDS) ints[from + SEEN_IDS] |= 1 << back
    return
  }
  const ahead = (id - last) & 0xffff
  ints[from + SEEN_IDS] = last !== 0 && ahead < KNOWN_IDS ? (ints[from + SEEN_IDS] << ahead) | 1 : 1
  ints[from + LAST_ID] = id
}

/** Whether its sender sent a packet after those that were captured before: then none of them has overtaken it. */
export function isSentLater(ints: Int32Array, from: number, packet: Packet): boolean {
  const id = identification(packet)
  const last = ints[from + LAST_ID]
  return id !== 0 && last !== 0 && id !== last && ((id - last) & 0xffff) < USED_IDS
}

function isOnOtherPath(ints: Int32Array, from: number, packet: Packet): boolean {
  const state = ints[from + END]
  return (state & SENT) !== 0 && (packet.tunnel !== '') !== ((state & IN_TUNNEL) !== 0)
}

function isUsed(ints: Int32Array, from: number, id: number): boolean {
  const back = (ints[from + LAST_ID] - id) & 0xffff
  if (id === 0 || back >= USED_IDS) return false
  return back >= KNOWN_IDS || ((ints[from + SEEN_IDS] >>> back) & 1) !== 0
}
