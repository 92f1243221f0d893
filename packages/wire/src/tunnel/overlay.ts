import { ETHER } from '../ether-type.ts'
import { openEthernet } from '../link/ethernet.ts'
import type { Packet } from '../packet.ts'

/** IANA's port for VXLAN and the one that Linux had before it. */
const VXLAN = 4789
const VXLAN_LINUX = 8472
const GENEVE = 6081
const ARP = 0x0806

/** Not an overlay. */
export const PLAIN = -2

/**
 * Opens VXLAN (RFC 7348) or Geneve (RFC 8926) if the port and the bytes both match; `packet` is at the payload of a UDP
 * datagram. Returns the EtherType of what it carries, or `PLAIN` with `packet` unchanged.
 */
export function openOverlay(packet: Packet, port: number): number {
  if (port === VXLAN || port === VXLAN_LINUX) return openVxlan(packet)
  return port === GENEVE ? openGeneve(packet) : PLAIN
}

function openVxlan(packet: Packet): number {
  const { data, at } = packet
  // The flag for a valid network identifier, and a last byte that is reserved.
  if (at + 8 > packet.end || (data[at] & 8) === 0 || data[at + 7] !== 0) return PLAIN
  return openInner(packet, at + 8, ETHER.transparentEthernet, 'vxlan')
}

function openGeneve(packet: Packet): number {
  const { data, at } = packet
  // Version 0, and a last byte that is reserved.
  if (at + 8 > packet.end || data[at] >> 6 !== 0 || data[at + 7] !== 0) return PLAIN
  return openInner(packet, at + 8 + ((data[at] & 0x3f) << 2), (data[at + 2] << 8) | data[at + 3], 'geneve')
}

/** Both keep the 24-bit network identifier at the same place. */
function openInner(packet: Packet, inner: number, type: number, name: string): number {
  const { data, at, vlan } = packet
  const id = (data[at + 4] << 16) | (data[at + 5] << 8) | data[at + 6]
  packet.at = inner
  const carried = type === ETHER.transparentEthernet ? openEthernet(packet) : type
  if (plausible(packet, carried)) {
    packet.enterTunnel(name, id)
    return carried
  }
  packet.at = at
  packet.vlan = vlan
  return PLAIN
}

function plausible(packet: Packet, type: number): boolean {
  if (packet.at + 8 > packet.end) return false
  const version = packet.data[packet.at] >> 4
  return (type === ETHER.ipv4 && version === 4) || (type === ETHER.ipv6 && version === 6) || type === ARP
}
