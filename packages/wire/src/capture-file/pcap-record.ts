import { copyBytes, putU16, putU32 } from './copy-bytes.ts'
import type { WrittenPacket } from './written-packet.ts'

export const PCAP_HEADER_SIZE = 24
/** What a record takes beside its captured bytes. */
export const PCAP_RECORD_OVERHEAD = 16

/** Writes the header of a classic pcap file with microseconds to `target` and returns where it ends. */
export function pcapHeader(target: Uint8Array, at: number, link: number, snaplen = 262_144): number {
  putU32(target, at, 0xa1b2c3d4)
  putU16(target, at + 4, 2)
  putU16(target, at + 6, 4)
  putU32(target, at + 8, 0)
  putU32(target, at + 12, 0)
  putU32(target, at + 16, snaplen)
  putU32(target, at + 20, link)
  return at + PCAP_HEADER_SIZE
}

/** Writes one packet and returns where it ends. */
export function pcapRecord(target: Uint8Array, at: number, packet: WrittenPacket): number {
  const { time, data, start, end, length } = packet
  const seconds = Math.floor(time / 1e6)
  putU32(target, at, seconds)
  putU32(target, at + 4, Math.floor(time - seconds * 1e6))
  putU32(target, at + 8, end - start)
  putU32(target, at + 12, length)
  return copyBytes(target, at + PCAP_RECORD_OVERHEAD, data, start, end)
}
