import { BROKEN, ETHER, UNKNOWN } from '../ether-type.ts'
import { openEthernet, openTags } from '../link/ethernet.ts'
import { openRawIp } from '../link/raw-ip.ts'
import type { Packet } from '../packet.ts'

const CHECKSUM = 0x8000
const ROUTING = 0x4000
const KEY = 0x2000
const SEQUENCE = 0x1000
/** Version of ERSPAN type III. */
const ERSPAN_3 = 2

/**
 * Opens GRE (RFC 2784, 2890), also around Ethernet, MPLS and ERSPAN, and returns the EtherType of what it carries.
 * ERSPAN type I has no header of its own and GRE without a sequence number.
 */
export function openGre(packet: Packet): number {
  const { data, end } = packet
  let at = packet.at
  if (at + 4 > end) return BROKEN
  const flags = (data[at] << 8) | data[at + 1]
  const type = (data[at + 2] << 8) | data[at + 3]
  // Version 1 is PPTP; source routing was withdrawn.
  if ((flags & 7) !== 0 || (flags & ROUTING) !== 0) return UNKNOWN
  at += flags & CHECKSUM ? 8 : 4
  let key = -1
  if (flags & KEY) {
    if (at + 4 > end) return BROKEN
    key = ((data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]) >>> 0
    at += 4
  }
  if (flags & SEQUENCE) at += 4
  if (at > end) return BROKEN
  packet.at = at
  if (type === ETHER.erspan3 || (type === ETHER.erspan && (flags & SEQUENCE) !== 0)) return openErspan(packet)
  packet.enterTunnel(type === ETHER.erspan ? 'erspan' : 'gre', key)
  if (type === ETHER.mpls || type === ETHER.mplsMulticast) return openTags(packet, type)
  return type === ETHER.transparentEthernet || type === ETHER.erspan ? openEthernet(packet) : type
}

/** Types II and III. The version in the header decides, because devices use the EtherType of the other one. */
function openErspan(packet: Packet): number {
  const { data, at } = packet
  const isThird = data[at] >> 4 === ERSPAN_3
  if (at + (isThird ? 12 : 8) > packet.end) return BROKEN
  packet.enterTunnel('erspan', ((data[at + 2] << 8) | data[at + 3]) & 0x3ff)
  packet.at = at + 8
  if (!isThird) return openEthernet(packet)
  const hasPlatformHeader = (data[at + 11] & 1) !== 0
  const frameType = (data[at + 10] >> 2) & 0x1f
  packet.at = at + (hasPlatformHeader ? 20 : 12)
  return frameType === 0 ? openEthernet(packet) : frameType === 2 ? openRawIp(packet) : UNKNOWN
}
