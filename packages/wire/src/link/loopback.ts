import { BROKEN, ETHER, UNKNOWN } from '../ether-type.ts'
import type { Packet } from '../packet.ts'

/**
 * LINKTYPE_NULL and LINKTYPE_LOOP: four bytes of address family, in the byte order of the capturing machine or of
 * the network. Families are small numbers, so the position of the non-zero byte shows the order.
 */
export function openLoopback(packet: Packet): number {
  const { data, at } = packet
  if (at + 4 > packet.end) return BROKEN
  const family = data[at] === 0 && data[at + 1] === 0 ? (data[at + 2] << 8) | data[at + 3] : data[at]
  packet.at = at + 4
  switch (family) {
    case 2:
      return ETHER.ipv4
    // AF_INET6 of Linux, NetBSD and OpenBSD, FreeBSD, macOS.
    case 10:
    case 24:
    case 28:
    case 30:
      return ETHER.ipv6
    default:
      return UNKNOWN
  }
}
