import { endsHash } from '../ends-hash.ts'
import type { Packet } from '../packet.ts'

/**
 * The shard that owns the flow of a packet that stands at its transport header: a hash of addresses and ports that
 * is the same for both directions. Where there are no ports, or they are cut off, the addresses alone decide.
 */
export function flowOwner(packet: Packet, hasPorts: boolean, count: number): number {
  const { data, at, src, dst } = packet
  const ports = hasPorts && at + 4 <= packet.end
  const sourcePort = ports ? (data[at] << 8) | data[at + 1] : 0
  const destinationPort = ports ? (data[at + 2] << 8) | data[at + 3] : 0
  const hash = endsHash(data, src, dst, packet.v6 ? 16 : 4, sourcePort, destinationPort)
  return remainder(mixed(hash), count)
}

/** All bits have a say in the lowest ones, which alone decide between two shards: the finalizer of MurmurHash3. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

/** Of 32 bits without a sign, in signed words: that of what may not fit one is a call into the library of the system. */
function remainder(bits: number, count: number): number {
  return (((bits >>> 1) % count) * 2 + (bits & 1)) % count
}
