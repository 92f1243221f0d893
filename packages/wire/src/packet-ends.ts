import { formatIPv4, formatIPv6 } from '@tapdeck/ip'
import { endHash, endsHash, joinEnds } from './ends-hash.ts'
import { PROTOCOL } from './ip/protocol.ts'
import { openTransport } from './open-transport.ts'
import { Packet } from './packet.ts'
import { parseAddress } from './parse-address.ts'

/**
 * The endpoints of a packet, in the innermost of its tunnels. Keeps no flows and makes no object a packet: read the
 * properties before the next `read`. Fragments have none.
 */
export class PacketEnds {
  /** The same for both directions of a conversation; other conversations may share it. */
  hash = 0
  /** 0 where there are no ports. */
  sourcePort = 0
  destinationPort = 0
  /** The number of the transport in the IP header, where its header begins, and where its bytes end. */
  protocol = 0
  transport = 0
  end = 0
  readonly #packet = new Packet()

  /** False if the packet has no endpoints. */
  read(data: Uint8Array, start: number, end: number, length: number, link: number): boolean {
    const packet = this.#packet
    packet.begin(data, start, end, length, 0)
    const protocol = openTransport(packet, link)
    if (protocol < 0) return false
    const { at, src, dst } = packet
    this.protocol = protocol
    this.transport = at
    this.end = packet.end
    const ports = protocol !== PROTOCOL.icmp && protocol !== PROTOCOL.icmpv6 && at + 4 <= packet.end
    this.sourcePort = ports ? (data[at] << 8) | data[at + 1] : 0
    this.destinationPort = ports ? (data[at + 2] << 8) | data[at + 3] : 0
    const size = packet.v6 ? 16 : 4
    this.hash = endsHash(data, src, dst, size, this.sourcePort, this.destinationPort)
    return true
  }

  get source(): string {
    return this.#text(this.#packet.src)
  }

  get destination(): string {
    return this.#text(this.#packet.dst)
  }

  /** The hash of a conversation between two ends. Throws `Malformed` where a text is not an address. */
  static hashOf(ip: string, port: number, otherIp: string, otherPort: number): number {
    const [one, other] = [parseAddress(ip), parseAddress(otherIp)]
    return joinEnds(endHash(one, 0, one.length, port), endHash(other, 0, other.length, otherPort))
  }

  #text(at: number): string {
    const { data, v6 } = this.#packet
    return v6 ? formatIPv6(data, at) : formatIPv4(data, at)
  }
}
