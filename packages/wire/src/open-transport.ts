import { ETHER } from './ether-type.ts'
import { openIPv4 } from './ip/ipv4.ts'
import { openExtensions, openIPv6 } from './ip/ipv6.ts'
import { PROTOCOL } from './ip/protocol.ts'
import { openTags } from './link/ethernet.ts'
import { openLink } from './link/open-link.ts'
import type { Packet } from './packet.ts'
import { MAX_TUNNELS } from './packet-bounds.ts'
import { openGre } from './tunnel/gre.ts'
import { openOverlay, PLAIN } from './tunnel/overlay.ts'

/** Not a valid IP packet, or no transport in it that is followed. */
const NO_TRANSPORT = -1
/** A fragment: its transport is known only after reassembly. */
export const FRAGMENT = -2

/**
 * Opens the headers of `packet` and of the tunnels in it, down to the innermost transport, and returns its IP protocol.
 * `met` is called at each IP header on the way. Keeps no state: for code that needs the endpoints of a packet, but not
 * its flow.
 */
export function openTransport(packet: Packet, link: number, met?: (packet: Packet) => void): number {
  let type = openLink(packet, link)
  for (let depth = 0; depth <= MAX_TUNNELS; depth++) {
    if (type !== ETHER.ipv4 && type !== ETHER.ipv6) return NO_TRANSPORT
    if (!(type === ETHER.ipv4 ? openIPv4(packet) : openIPv6(packet))) return NO_TRANSPORT
    met?.(packet)
    if (packet.fragment) return FRAGMENT
    if (packet.protocol === PROTOCOL.authentication && (packet.v6 || !openExtensions(packet)))
      return NO_TRANSPORT
    switch (packet.protocol) {
      case PROTOCOL.tcp:
      case PROTOCOL.sctp:
      case PROTOCOL.icmp:
      case PROTOCOL.icmpv6:
        return packet.protocol
      case PROTOCOL.udp:
        type = enterOverlay(packet)
        if (type === PLAIN) return PROTOCOL.udp
        break
      case PROTOCOL.gre:
        type = openGre(packet)
        break
      case PROTOCOL.mpls:
        type = openTags(packet, ETHER.mpls)
        break
      case PROTOCOL.ipip:
        type = ETHER.ipv4
        break
      case PROTOCOL.ipv6:
        type = ETHER.ipv6
        break
      default:
        return NO_TRANSPORT
    }
  }
  return NO_TRANSPORT
}

function enterOverlay(packet: Packet): number {
  const { data, at } = packet
  if (at + 8 > packet.end) return PLAIN
  packet.at = at + 8
  const inner = openOverlay(packet, (data[at + 2] << 8) | data[at + 3])
  if (inner === PLAIN) packet.at = at
  return inner
}
