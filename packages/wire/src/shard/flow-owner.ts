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
  return ((hash ^ (hash >>> 15)) >>> 0) % count
}
