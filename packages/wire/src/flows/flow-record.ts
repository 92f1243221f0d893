import type { Address, CloseReason, Flow, Half, Side, TcpMetrics, Transport } from '../flow.ts'

export class FlowHalf implements Half {
  packets = 0
  bytes = 0
  goodput = 0
  missing = 0
}

/** What is known of a flow when its first packet comes. */
export interface FlowBirth {
  readonly id: number
  readonly transport: Transport
  readonly ends: readonly [Address, Address]
  /** The side of the end that sorts first in the flow table. */
  readonly lowSide: Side
  readonly midstream: boolean
  readonly start: number
  readonly tcp: TcpMetrics | undefined
  readonly tunnel: string | undefined
  readonly vlan: number | undefined
}

/** A flow as `Streams` keeps it: the public contract, and which side the ends of its table key are. */
export class FlowRecord implements Flow {
  readonly id: number
  readonly transport: Transport
  ends: readonly [Address, Address]
  readonly midstream: boolean
  readonly start: number
  last: number
  halves: readonly [FlowHalf, FlowHalf]
  readonly tcp?: TcpMetrics
  closed?: CloseReason
  closedBy?: Side
  readonly tunnel?: string
  readonly vlan?: number
  state: unknown
  #lowSide: Side

  constructor(birth: FlowBirth) {
    this.id = birth.id
    this.transport = birth.transport
    this.ends = birth.ends
    this.midstream = birth.midstream
    this.start = birth.start
    this.last = birth.start
    this.halves = [new FlowHalf(), new FlowHalf()]
    if (birth.tcp !== undefined) this.tcp = birth.tcp
    if (birth.tunnel !== undefined) this.tunnel = birth.tunnel
    if (birth.vlan !== undefined) this.vlan = birth.vlan
    this.state = undefined
    this.#lowSide = birth.lowSide
  }

  /** The side of the high or the low end of the table key. */
  side(high: boolean): Side {
    return high === (this.#lowSide === 0) ? 1 : 0
  }

  /** Counts a packet of one end. */
  count(high: boolean, length: number, time: number): void {
    const half = this.halves[this.side(high)]
    half.packets++
    half.bytes += length
    if (time > this.last) this.last = time
  }

  /** Client and server change places, with all that was counted of them. */
  flip(): void {
    this.ends = [this.ends[1], this.ends[0]]
    this.halves = [this.halves[1], this.halves[0]]
    this.#lowSide = this.#lowSide === 0 ? 1 : 0
    if (this.closedBy !== undefined) this.closedBy = this.closedBy === 0 ? 1 : 0
  }
}
