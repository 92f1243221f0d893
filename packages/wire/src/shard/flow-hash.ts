import type { Packet } from '../packet.ts'

/**
 * A hash of the end with the larger port, below 2^32 and the same for both directions. That end is the client in most cases, and
 * translation of the server's address (a cluster IP) does not change it. If the ports are equal, cut off or absent, both addresses
 * count. Runs for each packet in each thread, so it does just enough to spread flows evenly; `foreign-packets.wat` has a twin.
 */
export function flowHash(packet: Packet, hasPorts: boolean): number {
  const { view, at, src, dst } = packet
  const both = hasPorts && at + 4 <= packet.end ? view.getInt32(at) : 0
  const from = both >>> 16
  const to = both & 0xffff
  let address = 0
  for (let word = 0; word < (packet.v6 ? 16 : 4); word += 4) {
    const source = from >= to ? view.getInt32(src + word, true) : 0
    const target = to >= from ? view.getInt32(dst + word, true) : 0
    address = Math.imul(address, 31) + source + target
  }
  // Fibonacci hashing: neighbouring ports and addresses go to different shards in turn.
  return (Math.imul(address, 0x85ebca9f) + Math.imul(Math.max(from, to), 0x9e3779b1)) >>> 0
}
