import type { Packet } from '../packet.ts'
import type { DatagramTransport } from './datagram-tracker.ts'

/** ICMP (RFC 792) and ICMPv6 (RFC 4443): a flow is a pair of hosts, a datagram the message from its type byte on. */
export function icmp(idle: number): DatagramTransport {
  return {
    transport: 'icmp',
    idle,
    ports: false,
    open: (packet) => packet.at + 4 <= packet.end,
    fromClient: (packet) => !isReply(packet),
  }
}

/** Echo and timestamp replies: what they answer was not seen. */
function isReply(packet: Packet): boolean {
  const type = packet.data[packet.at]
  return packet.v6 ? type === 129 : type === 0 || type === 14
}
