import { BROKEN } from '../ether-type.ts'
import type { Packet } from '../packet.ts'
import { openRawIp } from './raw-ip.ts'

/** Address family, version, resource identifier. */
const HEADER = 4
/** Length, with these four bytes, and type; both in the byte order of the capturing machine. */
const FIELD = 4
const PAYLOAD = 9

/** LINKTYPE_NFLOG: fields of the Linux packet filter log, one of which is the IP packet. */
export function openNflog(packet: Packet): number {
  const { at, end, data } = packet
  // Version 0 is the only one.
  if (at + HEADER > end || data[at + 1] !== 0) return BROKEN
  return findPayload(packet, true) || findPayload(packet, false) ? openRawIp(packet) : BROKEN
}

function findPayload(packet: Packet, isLittle: boolean): boolean {
  const { view, end, wire } = packet
  let at = packet.at + HEADER
  while (at + FIELD <= end) {
    const length = view.getUint16(at, isLittle)
    if (length < FIELD || at + length > wire) return false
    if (view.getUint16(at + 2, isLittle) === PAYLOAD) {
      packet.at = at + FIELD
      packet.end = Math.min(end, at + length)
      packet.wire = at + length
      return true
    }
    at += (length + 3) & ~3
  }
  return false
}
