import type { Packet } from '../packet.ts'
import { PROTOCOL } from './protocol.ts'

/** More extension headers than this are an attack, not a packet. */
const MAX_EXTENSIONS = 16

/** Opens an IPv6 header with its extension headers (RFC 8200); `false` where it is broken or cut. */
export function openIPv6(packet: Packet): boolean {
  const { data, at } = packet
  if (at + 40 > packet.end || data[at] >> 4 !== 6) return false
  const length = (data[at + 4] << 8) | data[at + 5]
  // 0 is a jumbogram or an offloaded giant: then the frame gives the length.
  if (length !== 0) {
    packet.wire = at + 40 + length
    if (packet.end > packet.wire) packet.end = packet.wire
  }
  packet.v6 = true
  packet.ip = at
  packet.src = at + 8
  packet.dst = at + 24
  packet.fragment = false
  packet.protocol = data[at + 6]
  packet.at = at + 40
  return packet.protocol === PROTOCOL.tcp || packet.protocol === PROTOCOL.udp || openExtensions(packet)
}

/** Steps over extension headers, from the one that `packet.protocol` names, up to a fragment or the payload. */
export function openExtensions(packet: Packet): boolean {
  const { data, end } = packet
  for (let count = 0; count < MAX_EXTENSIONS; count++) {
    const at = packet.at
    switch (packet.protocol) {
      case PROTOCOL.hopByHop:
      case PROTOCOL.routing:
      case PROTOCOL.destination:
      case PROTOCOL.mobility:
      case PROTOCOL.hip:
      case PROTOCOL.shim6:
        if (at + 8 > end) return false
        packet.at = at + ((data[at + 1] + 1) << 3)
        break
      case PROTOCOL.authentication:
        if (at + 8 > end) return false
        packet.at = at + ((data[at + 1] + 2) << 2)
        break
      case PROTOCOL.fragment:
        if (at + 8 > end) return false
        openFragment(packet)
        break
      default:
        return packet.at <= end
    }
    packet.protocol = data[at]
    // The next header of a fragment is only known after reassembly.
    if (packet.fragment) return true
  }
  return false
}

function openFragment(packet: Packet): void {
  const { data, at } = packet
  const field = (data[at + 2] << 8) | data[at + 3]
  packet.at = at + 8
  packet.fragmentOffset = field & 0xfff8
  packet.moreFragments = (field & 1) !== 0
  packet.fragmentId = (data[at + 4] << 24) | (data[at + 5] << 16) | (data[at + 6] << 8) | data[at + 7]
  // An atomic fragment (RFC 6946) is whole by itself.
  packet.fragment = packet.fragmentOffset !== 0 || packet.moreFragments
}
