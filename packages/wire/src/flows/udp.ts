import type { Packet } from '../packet.ts'
import type { DatagramTransport } from './datagram-tracker.ts'

const WELL_KNOWN = 1024

/** UDP (RFC 768). The first sender is the client, except from a well-known port to an ordinary one. */
export function udp(idle: number, answered: number): DatagramTransport {
  return {
    transport: 'udp',
    idle,
    answered,
    ports: true,
    open: openUdp,
    fromClient: (_packet, source, destination) => source >= WELL_KNOWN || destination < WELL_KNOWN,
  }
}

function openUdp(packet: Packet): boolean {
  const { data, at } = packet
  if (at + 8 > packet.end) return false
  const length = (data[at + 4] << 8) | data[at + 5]
  // 0: the datagram is too large for the field.
  if (length !== 0) {
    if (length < 8) return false
    if (at + length < packet.wire) packet.wire = at + length
    if (packet.end > packet.wire) packet.end = packet.wire
  }
  packet.at = at + 8
  return true
}
