import { BROKEN, ETHER, UNKNOWN } from '../ether-type.ts'
import type { Packet } from '../packet.ts'

/** No link layer: the version field of the IP header decides. */
export function openRawIp(packet: Packet): number {
  if (packet.at >= packet.end) return BROKEN
  const version = packet.data[packet.at] >> 4
  return version === 4 ? ETHER.ipv4 : version === 6 ? ETHER.ipv6 : UNKNOWN
}
