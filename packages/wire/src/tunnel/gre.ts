import { BROKEN, ETHER, UNKNOWN } from '../ether-type.ts'
import { openEthernet } from '../link/ethernet.ts'
import { openRawIp } from '../link/raw-ip.ts'
import type { Packet } from '../packet.ts'

const CHECKSUM = 0x8000
const ROUTING = 0x4000
const KEY = 0x2000
const SEQUENCE = 0x1000

/** Opens GRE (RFC 2784, 2890), also around Ethernet and ERSPAN, and returns the EtherType of what it carries. */
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
  if (type === ETHER.erspan) return openErspan(packet, (flags & SEQUENCE) !== 0)
  if (type === ETHER.erspan3) return openErspan3(packet)
  packet.enterTunnel('gre', key)
  return type === ETHER.transparentEthernet ? openEthernet(packet) : type
}

/** Type I has no header of its own, type II eight bytes; the sequence number of GRE tells them apart. */
function openErspan(packet: Packet, second: boolean): number {
  const { data, at } = packet
  if (second && at + 8 > packet.end) return BROKEN
  packet.enterTunnel('erspan', second ? ((data[at + 2] << 8) | data[at + 3]) & 0x3ff : -1)
  if (second) packet.at = at + 8
  return openEthernet(packet)
}

function openErspan3(packet: Packet): number {
  const { data, at } = packet
  if (at + 12 > packet.end) return BROKEN
  packet.enterTunnel('erspan', ((data[at + 2] << 8) | data[at + 3]) & 0x3ff)
  const optional = (data[at + 11] & 1) !== 0
  const frameType = (data[at + 10] >> 2) & 0x1f
  packet.at = at + (optional ? 20 : 12)
  return frameType === 0 ? openEthernet(packet) : frameType === 2 ? openRawIp(packet) : UNKNOWN
}
