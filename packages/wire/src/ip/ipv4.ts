import type { Packet } from '../packet.ts'

/** Opens an IPv4 header (RFC 791); `false` where it is broken or cut. Bytes after the datagram are padding. */
export function openIPv4(packet: Packet): boolean {
  const { view, at } = packet
  if (at + 20 > packet.end) return false
  const first = view.getInt32(at)
  const header = ((first >> 24) & 15) << 2
  if (first >>> 28 !== 4 || header < 20 || at + header > packet.end) return false
  const total = first & 0xffff
  // Segmentation offload leaves 0 in frames of more than 64 KB: then the frame gives the length.
  if (total !== 0) {
    if (total < header) return false
    packet.wire = at + total
    if (packet.end > packet.wire) packet.end = packet.wire
  }
  const second = view.getInt32(at + 4)
  packet.fragment = (second & 0x3fff) !== 0
  if (packet.fragment) {
    packet.fragmentOffset = (second & 0x1fff) << 3
    packet.moreFragments = (second & 0x2000) !== 0
    packet.fragmentId = second >>> 16
  }
  packet.v6 = false
  packet.ip = at
  packet.src = at + 12
  packet.dst = at + 16
  packet.protocol = packet.data[at + 9]
  packet.at = at + header
  return true
}
