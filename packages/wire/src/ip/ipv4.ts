import type { Packet } from '../packet.ts'

/** Opens an IPv4 header (RFC 791); `false` where it is broken or cut. Bytes behind the datagram are padding. */
export function openIPv4(packet: Packet): boolean {
  const { data, at } = packet
  if (at + 20 > packet.end) return false
  const first = data[at]
  const header = (first & 15) << 2
  if (first >> 4 !== 4 || header < 20 || at + header > packet.end) return false
  const total = (data[at + 2] << 8) | data[at + 3]
  // Segmentation offload leaves 0 in frames of more than 64 KB: then the frame tells the length.
  if (total !== 0) {
    if (total < header) return false
    packet.wire = at + total
    if (packet.end > packet.wire) packet.end = packet.wire
  }
  const fragment = (data[at + 6] << 8) | data[at + 7]
  packet.fragment = (fragment & 0x3fff) !== 0
  if (packet.fragment) {
    packet.fragmentOffset = (fragment & 0x1fff) << 3
    packet.moreFragments = (fragment & 0x2000) !== 0
    packet.fragmentId = (data[at + 4] << 8) | data[at + 5]
  }
  packet.v6 = false
  packet.ip = at
  packet.src = at + 12
  packet.dst = at + 16
  packet.protocol = data[at + 9]
  packet.at = at + header
  return true
}
