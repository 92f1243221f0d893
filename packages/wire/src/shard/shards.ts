import { PROTOCOL } from '../ip/protocol.ts'
import { FRAGMENT, openTransport } from '../open-transport.ts'
import { Packet } from '../packet.ts'
import { MAX_FRAME } from '../packet-bounds.ts'
import { SweepClock } from '../sweep-clock.ts'
import { flowOwner } from './flow-owner.ts'

/** What is to be done with a packet: the number of its owner, or that all shards need it, with `SWEEP` before it. */
export const EVERYONE = 0xff
/** Whoever counts what belongs to no flow. */
const NOBODY = 0

/**
 * Decides which of several `Streams` gets a packet: the one that owns the innermost flow. Opens headers and keeps
 * no flows, so it costs a small part of what following them does. Fragments go to all: only the whole datagram tells
 * whose it is, and each puts it together for itself (`Streams.fragment`).
 */
export class Shards {
  readonly count: number
  /** The packet of the last `owner` moved the clock: all shards are to look for what has grown old before it. */
  sweep = false
  readonly #packet = new Packet()
  readonly #clock = new SweepClock()

  constructor(count: number) {
    this.count = count
  }

  owner(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): number {
    this.sweep = false
    if (length > MAX_FRAME || !(time >= 0)) return NOBODY
    this.sweep = this.#clock.due(time)
    const packet = this.#packet
    packet.begin(data, start, end, length, time)
    const protocol = openTransport(packet, link)
    if (protocol === FRAGMENT) return EVERYONE
    if (protocol < 0) return NOBODY
    const hasPorts = protocol !== PROTOCOL.icmp && protocol !== PROTOCOL.icmpv6
    return flowOwner(packet, hasPorts, this.count)
  }
}
