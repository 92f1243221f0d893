import type { Packet } from '../packet.ts'

/**
 * The shard that owns the flow of a packet at its transport header: a hash of addresses and ports, the same for both
 * directions. Without ports, or if they are cut off, only the addresses count. Runs for each packet in each thread, so it
 * does just enough to spread flows evenly; `foreign-packets.wat` has a twin.
 */
export function flowOwner(packet: Packet, hasPorts: boolean, count: number): number {
  const { view, at, src, dst } = packet
  let addresses = 0
  // A sum does not depend on the direction.
  for (let word = 0; word < (packet.v6 ? 16 : 4); word += 4)
    addresses = Math.imul(addresses, 31) + view.getInt32(src + word, true) + view.getInt32(dst + word, true)
  const both = hasPorts && at + 4 <= packet.end ? view.getInt32(at) : 0
  const ports = (both & 0xffff) + (both >>> 16)
  // Fibonacci hashing: neighbouring ports and addresses go to different shards in turn.
  const hash = Math.imul(addresses, 0x85ebca9f) + Math.imul(ports, 0x9e3779b1)
  return Math.floor(((hash >>> 0) * count) / 2 ** 32)
}
