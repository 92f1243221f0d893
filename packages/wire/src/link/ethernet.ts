import { BROKEN, ETHER, UNKNOWN } from '../ether-type.ts'
import type { Packet } from '../packet.ts'

/** Values up to this are the length of an 802.3 frame, not a type. */
const MAX_LENGTH_FIELD = 1500

/** Ethernet II and 802.3 with SNAP; returns the EtherType of what follows all VLAN tags. */
export function openEthernet(packet: Packet): number {
  const at = packet.at + 12
  if (at + 2 > packet.end) return BROKEN
  const type = packet.view.getUint16(at)
  packet.at = at + 2
  if (type === ETHER.ipv4) return type
  return openTags(packet, type)
}

/** Steps over VLAN tags and a SNAP header where `type` says that they follow. */
export function openTags(packet: Packet, first: number): number {
  const { data, end } = packet
  let type = first
  while (type === ETHER.vlan || type === ETHER.serviceVlan || type === ETHER.oldServiceVlan) {
    if (packet.at + 4 > end) return BROKEN
    const vlan = ((data[packet.at] << 8) | data[packet.at + 1]) & 0xfff
    // 0 tags a priority, not a VLAN.
    if (vlan !== 0) packet.vlan = vlan
    type = (data[packet.at + 2] << 8) | data[packet.at + 3]
    packet.at += 4
  }
  if (type > MAX_LENGTH_FIELD) return type
  const at = packet.at
  if (at + 8 > end) return UNKNOWN
  // LLC with the SNAP service points, unnumbered information, no organisation code.
  const snap = data[at] === 0xaa && data[at + 1] === 0xaa && data[at + 2] === 3
  if (!snap || data[at + 3] !== 0 || data[at + 4] !== 0 || data[at + 5] !== 0) return UNKNOWN
  packet.at = at + 8
  return (data[at + 6] << 8) | data[at + 7]
}
