import { PROTOCOL } from '../ip/protocol.ts'
import { openTransport } from '../open-transport.ts'
import { Packet } from '../packet.ts'
import { flowId } from './flow-id.ts'

const ICMP = 1

/**
 * The id of the flow that a packet would open: finds a flow by its id without following flows. Fragments have none.
 */
export class FlowFinder {
  readonly #packet = new Packet()

  /** The id, or -1 where the packet belongs to no flow. */
  idOf(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): number {
    const packet = this.#packet
    packet.begin(data, start, end, length, time)
    const protocol = openTransport(packet, link)
    if (protocol < 0 || packet.at + 4 > packet.end) return -1
    if (protocol === PROTOCOL.icmp || protocol === PROTOCOL.icmpv6)
      return flowId(packet, ICMP, 0, 0, isFromHigh(packet, 0, 0))
    const { at } = packet
    const source = (data[at]! << 8) | data[at + 1]!
    const destination = (data[at + 2]! << 8) | data[at + 3]!
    return flowId(packet, protocol, source, destination, isFromHigh(packet, source, destination))
  }
}

/** The order of the two ends in `FlowTable`: IPv4 addresses count as signed numbers there. */
function isFromHigh({ data, src, dst, v6 }: Packet, source: number, destination: number): boolean {
  let order = 0
  if (v6) for (let at = 0; at < 16 && order === 0; at++) order = data[src + at]! - data[dst + at]!
  else {
    const one = (data[src]! << 24) | (data[src + 1]! << 16) | (data[src + 2]! << 8) | data[src + 3]!
    const other = (data[dst]! << 24) | (data[dst + 1]! << 16) | (data[dst + 2]! << 8) | data[dst + 3]!
    order = one === other ? 0 : one > other ? 1 : -1
  }
  return order > 0 || (order === 0 && source > destination)
}
