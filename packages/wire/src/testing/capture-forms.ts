import {
  block,
  enhanced,
  iface,
  numbers,
  option,
  pcapHeader,
  record,
  section,
  text,
} from './capture-builder.ts'
import type { BuiltPacket } from './conversation.ts'
import { concat } from './packet-builder.ts'

export const MICROSECONDS = 0xa1b2c3d4
const NANOSECONDS = 0xa1b23c4d

export type Format = (packets: readonly BuiltPacket[]) => Uint8Array

export const pcap =
  (magic: number, little: boolean): Format =>
  (packets) =>
    concat(
      pcapHeader(little, magic),
      ...packets.map(({ data, time, length }) => {
        const fraction = (time % 1e6) * (magic === NANOSECONDS ? 1000 : 1)
        // Nanoseconds that are no whole number of half microseconds.
        const odd = magic === NANOSECONDS ? (time % 7) * 100 : 0
        return record(little, Math.floor(time / 1e6), fraction + odd, data, length)
      }),
    )

export const pcapng =
  (resolution: number, wrap: (packet: Uint8Array, at: number) => Uint8Array = (packet) => packet): Format =>
  (packets) =>
    concat(
      section(true),
      ...[0, 1].map(() => iface(true, option(true, 9, Uint8Array.of(resolution)))),
      ...packets.map(({ data, time, length }, at) => {
        const unit = resolution === 9 ? BigInt(time) * 1000n + BigInt(time % 900) : BigInt(time)
        return wrap(enhanced(true, at % 2, Number(unit >> 32n), Number(unit & 0xffffffffn), data, length), at)
      }),
    )

/** Some packets have an interface that was not described. */
function withUnknownInterface(packet: Uint8Array, at: number): Uint8Array {
  if (at % 5 > 0) return packet
  return concat(packet.subarray(0, 8), numbers(true, [4, 7]), packet.subarray(12))
}

/** Some packets have a comment. */
function commented(packet: Uint8Array, at: number): Uint8Array {
  if (at % 5 > 0) return packet
  return block(true, 6, concat(packet.subarray(8, -4), option(true, 1, text('odd')), numbers(true, [4, 0])))
}

/** Capture files with the same packets, by name. */
export const formats: readonly (readonly [string, Format])[] = [
  ['pcap of microseconds', pcap(MICROSECONDS, true)],
  ['pcap of nanoseconds', pcap(NANOSECONDS, true)],
  ['pcap of the other byte order', pcap(MICROSECONDS, false)],
  ['pcapng of microseconds', pcapng(6)],
  ['pcapng of nanoseconds', pcapng(9)],
  ['pcapng of milliseconds', pcapng(3)],
  ['pcapng with comments', pcapng(6, commented)],
  ['pcapng with packets of an unknown interface', pcapng(6, withUnknownInterface)],
]
