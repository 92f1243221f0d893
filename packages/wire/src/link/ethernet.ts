import { BROKEN, ETHER, UNKNOWN } from '../ether-type.ts'
import type { Packet } from '../packet.ts'
import { openMpls } from './mpls.ts'

/** Values up to this are the length of an 802.3 frame, not a type. */
const MAX_LENGTH_FIELD = 1500
/** Bytes between two EtherTypes. */
const VLAN_TAG = 2
const VN_TAG = 4
const TIMESTAMP_TAG = 6

/** Ethernet II and 802.3 with SNAP; returns the EtherType of what follows all VLAN tags. */
export function openEthernet(packet: Packet): number {
  const at = packet.at + 12
  if (at + 2 > packet.end) return BROKEN
  const type = packet.view.getUint16(at)
  packet.at = at + 2
  if (type === ETHER.ipv4) return type
  return openTags(packet, type)
}

/** Steps over tags, MPLS labels and a SNAP header where `type` says that they follow. */
export function openTags(packet: Packet, first: number): number {
  const { data, end } = packet
  let type = first
  for (let size = tagSize(type); size > 0; size = tagSize(type)) {
    if (packet.at + size + 2 > end) return BROKEN
    if (size === VLAN_TAG) {
      const vlan = ((data[packet.at] << 8) | data[packet.at + 1]) & 0xfff
      // 0 tags a priority, not a VLAN.
      if (vlan !== 0) packet.vlan = vlan
    }
    packet.at += size
    type = (data[packet.at] << 8) | data[packet.at + 1]
    packet.at += 2
  }
  if (type === ETHER.mpls || type === ETHER.mplsMulticast) return openMpls(packet, openEthernet)
  if (type > MAX_LENGTH_FIELD) return type
  const at = packet.at
  if (at + 8 > end) return UNKNOWN
  // LLC with the SNAP service points, unnumbered information, no organisation code.
  const snap = data[at] === 0xaa && data[at + 1] === 0xaa && data[at + 2] === 3
  if (!snap || data[at + 3] !== 0 || data[at + 4] !== 0 || data[at + 5] !== 0) return UNKNOWN
  packet.at = at + 8
  return (data[at + 6] << 8) | data[at + 7]
}

/** Bytes of the tag that an EtherType begins; 0: it begins none. */
function tagSize(type: number): number {
  switch (type) {
    case ETHER.vlan:
    case ETHER.serviceVlan:
    case ETHER.oldServiceVlan:
      return VLAN_TAG
    case ETHER.vnTag:
      return VN_TAG
    case ETHER.timestampTag:
      return TIMESTAMP_TAG
    default:
      return 0
  }
}
