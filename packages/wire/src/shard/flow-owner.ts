import type { Packet } from '../packet.ts'

/**
 * The shard that owns the flow of a packet that stands at its transport header: a hash of addresses and ports that
 * is the same for both directions. Where there are no ports, or they are cut off, the addresses alone decide. Every thread
 * asks for each packet, so it is no more than what spreads flows evenly; `foreign-packets.wat` has it, too.
 */
export function flowOwner(packet: Packet, hasPorts: boolean, count: number): number {
  const { view, at, src, dst } = packet
  let addresses = 0
  // Sums forget which of the two sent.
  for (let word = 0; word < (packet.v6 ? 16 : 4); word += 4)
    addresses = Math.imul(addresses, 31) + view.getInt32(src + word, true) + view.getInt32(dst + word, true)
  const both = hasPorts && at + 4 <= packet.end ? view.getInt32(at) : 0
  const ports = (both & 0xffff) + (both >>> 16)
  // Neighbouring ports and addresses go to different shards in turn, which is more even than chance: Fibonacci hashing.
  const hash = Math.imul(addresses, 0x85ebca9f) + Math.imul(ports, 0x9e3779b1)
  return Math.floor(((hash >>> 0) * count) / 2 ** 32)
}
