import { BROKEN } from '../ether-type.ts'
import type { Packet } from '../packet.ts'
import { openTags } from './ethernet.ts'

/** LINKTYPE_LINUX_SLL: what the `any` device gives. */
export function openCooked(packet: Packet): number {
  return open(packet, 14, 16)
}

/** LINKTYPE_LINUX_SLL2: the same with the interface index. */
export function openCooked2(packet: Packet): number {
  return open(packet, 0, 20)
}

function open(packet: Packet, typeAt: number, size: number): number {
  const { data, at } = packet
  if (at + size > packet.end) return BROKEN
  const type = (data[at + typeAt] << 8) | data[at + typeAt + 1]
  packet.at = at + size
  return openTags(packet, type)
}
