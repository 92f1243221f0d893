import { BROKEN, ETHER, UNKNOWN } from '../ether-type.ts'
import type { Packet } from '../packet.ts'
import { openRawIp } from './raw-ip.ts'

/** More labels than any network stacks. */
const MAX_LABELS = 32
/** Of the third byte of a label: this is the last one. */
const BOTTOM_OF_STACK = 1
const CONTROL_WORD = 4

/**
 * Steps over a stack of MPLS labels (RFC 3032), which does not say what follows. It is IP if it begins with an IP
 * version, or else the Ethernet frame of a pseudowire (RFC 4448), with or without a control word, if a known EtherType
 * shows that. `openFrame` opens the frame.
 */
export function openMpls(packet: Packet, openFrame: (packet: Packet) => number): number {
  const { data, end } = packet
  let at = packet.at
  for (let labels = 0; ; labels++, at += 4) {
    if (at + 4 > end) return BROKEN
    if (labels === MAX_LABELS) return UNKNOWN
    if (data[at + 2] & BOTTOM_OF_STACK) break
  }
  packet.at = at + 4
  const type = openRawIp(packet)
  if (type !== UNKNOWN) return type
  for (const start of [packet.at + CONTROL_WORD, packet.at]) {
    if (!hasKnownType(data, start, end)) continue
    packet.at = start
    return openFrame(packet)
  }
  return UNKNOWN
}

function hasKnownType(data: Uint8Array, frame: number, end: number): boolean {
  if (frame + 14 > end) return false
  const type = (data[frame + 12] << 8) | data[frame + 13]
  return type === ETHER.ipv4 || type === ETHER.ipv6 || type === ETHER.vlan || type === ETHER.serviceVlan
}
