import type { Packet } from '../packet.ts'

const TWO_32 = 4_294_967_296

/**
 * A number below 2^53 from the transport, both ends in table order and the microsecond of the first packet: the
 * same for the same packets, in every run and with either end as the client.
 */
export function flowId(
  packet: Packet,
  transport: number,
  sourcePort: number,
  destinationPort: number,
  fromHigh: boolean,
): number {
  const { data } = packet
  const size = packet.v6 ? 16 : 4
  const low = fromHigh ? packet.dst : packet.src
  const high = fromHigh ? packet.src : packet.dst
  const ports = fromHigh ? (destinationPort << 16) | sourcePort : (sourcePort << 16) | destinationPort
  const microsecond = Math.floor(packet.time)
  const upper = Math.floor(microsecond / TWO_32)
  let a = Math.imul(transport + 1, 0x9e3779b1)
  let b = Math.imul(transport + 1, 0x85ebca6b)
  const mix = (value: number) => {
    a = Math.imul(a ^ (a >>> 15) ^ value, 0x2c1b3c6d)
    b = Math.imul(b ^ (b >>> 13) ^ value, 0x297a2d39)
    b = (b << 11) | (b >>> 21)
  }
  for (let at = 0; at < size; at++) mix(data[low + at] | (data[high + at] << 8))
  mix(ports)
  mix(upper | 0)
  mix((microsecond - upper * TWO_32) | 0)
  a = Math.imul(a ^ (a >>> 16), 0x45d9f3b)
  b = Math.imul(b ^ (b >>> 16), 0x45d9f3b)
  return ((a ^ (a >>> 16)) & 0x1fffff) * TWO_32 + ((b ^ (b >>> 16)) >>> 0)
}
