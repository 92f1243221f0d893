import type { Address, CloseReason, Flow, Half, Side, TcpMetrics, Transport } from '../flow.ts'
import { BYTES, GOODPUT, LAST, MISSING, type NumberRows, PACKETS } from './number-rows.ts'

class FlowHalf implements Half {
  packets = 0
  bytes = 0
  goodput = 0
  missing = 0
}

/** The numbers of a flow out of its row: one object, since most flows that end are never asked for them. */
class FlowNumbers {
  last = 0
  lowPackets = 0
  lowBytes = 0
  lowGoodput = 0
  lowMissing = 0
  highPackets = 0
  highBytes = 0
  highGoodput = 0
  highMissing = 0
  /** As they were shown last. */
  halves: readonly [FlowHalf, FlowHalf] | undefined
  tcp: TcpMetrics | undefined

  read(rows: NumberRows, row: number): void {
    const doubles = rows.doubles(row)
    const low = rows.at(row)
    const high = low + rows.end
    this.lowPackets = doubles[low + PACKETS]
    this.lowBytes = doubles[low + BYTES]
    this.lowGoodput = doubles[low + GOODPUT]
    this.lowMissing = doubles[low + MISSING]
    this.highPackets = doubles[high + PACKETS]
    this.highBytes = doubles[high + BYTES]
    this.highGoodput = doubles[high + GOODPUT]
    this.highMissing = doubles[high + MISSING]
  }

  show(lowSide: Side): readonly [FlowHalf, FlowHalf] {
    this.halves ??= [new FlowHalf(), new FlowHalf()]
    const low = this.halves[lowSide]
    const high = this.halves[lowSide === 0 ? 1 : 0]
    low.packets = this.lowPackets
    low.bytes = this.lowBytes
    low.goodput = this.lowGoodput
    low.missing = this.lowMissing
    high.packets = this.highPackets
    high.bytes = this.highBytes
    high.goodput = this.highGoodput
    high.missing = this.highMissing
    return this.halves
  }
}

/**
 * A flow as `Streams` keeps it: the public contract, and which side the ends of its table key are. Its numbers stand in a
 * row while it is followed; they become objects when somebody asks for them, and when it is over.
 */
export class FlowRecord implements Flow {
  readonly id: number
  readonly transport: Transport
  ends: readonly [Address, Address]
  readonly midstream: boolean
  readonly start: number
  closed?: CloseReason
  closedBy?: Side
  readonly tunnel?: string
  readonly vlan?: number
  state: unknown
  /** -1 once it is over. */
  row: number
  #lowSide: Side
  readonly #rows: NumberRows
  #numbers: FlowNumbers | undefined

  constructor(
    id: number,
    transport: Transport,
    ends: readonly [Address, Address],
    lowSide: Side,
    midstream: boolean,
    start: number,
    tunnel: string | undefined,
    vlan: number | undefined,
    rows: NumberRows,
  ) {
    this.id = id
    this.transport = transport
    this.ends = ends
    this.midstream = midstream
    this.start = start
    if (tunnel !== undefined) this.tunnel = tunnel
    if (vlan !== undefined) this.vlan = vlan
    this.state = undefined
    this.row = rows.take()
    this.#lowSide = lowSide
    this.#rows = rows
    rows.doubles(this.row)[rows.at(this.row) + 2 * rows.end + LAST] = start
  }

  get last(): number {
    const { row } = this
    if (row < 0) return this.#numbers?.last ?? this.start
    const rows = this.#rows
    return rows.doubles(row)[rows.at(row) + 2 * rows.end + LAST]
  }

  get halves(): readonly [Half, Half] {
    this.#numbers ??= new FlowNumbers()
    const numbers = this.#numbers
    if (this.row >= 0) numbers.read(this.#rows, this.row)
    return numbers.show(this.#lowSide)
  }

  get tcp(): TcpMetrics | undefined {
    const { measure } = this.#rows
    if (measure === undefined) return undefined
    this.#numbers ??= new FlowNumbers()
    const numbers = this.#numbers
    if (this.row >= 0) numbers.tcp = measure(this.row, numbers.tcp)
    return numbers.tcp
  }

  /** The side of the high or the low end of the table key. */
  side(high: boolean): Side {
    return high === (this.#lowSide === 0) ? 1 : 0
  }

  /** Client and server change places, with all that was counted of them. */
  flip(): void {
    this.ends = [this.ends[1], this.ends[0]]
    this.#lowSide = this.#lowSide === 0 ? 1 : 0
    if (this.closedBy !== undefined) this.closedBy = this.closedBy === 0 ? 1 : 0
  }

  /** It is over: takes its numbers with it, and leaves its row to another. */
  close(reason: CloseReason): void {
    this.closed = reason
    this.#numbers ??= new FlowNumbers()
    const numbers = this.#numbers
    const rows = this.#rows
    numbers.last = this.last
    numbers.read(rows, this.row)
    if (rows.measure !== undefined) numbers.tcp = rows.measure(this.row, numbers.tcp)
    rows.free(this.row)
    this.row = -1
  }
}
