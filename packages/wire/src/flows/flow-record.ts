import type {
  Address,
  CloseReason,
  DirectionCounters,
  Flow,
  Resent,
  Side,
  TcpMetrics,
  Transport,
} from '../flow.ts'
import { resentOf } from '../tcp/resent.ts'
import {
  END,
  INITIAL,
  INITIAL_HIGH,
  INITIAL_LOW,
  STATE,
  SYN_BY_HIGH,
  SYN_BY_LOW,
  SYN_SEEN,
  UNACKED_HIGH,
  UNACKED_LOW,
} from '../tcp/tcp-row.ts'
import {
  BYTES,
  type FlowCounterPage,
  type FlowCounterTable,
  GOODPUT,
  ID,
  LAST,
  MARK,
  MISSING,
  PACKETS,
  START,
} from './flow-counter-table.ts'

class CountedDirection implements DirectionCounters {
  packets = 0
  bytes = 0
  goodput = 0
  missing = 0

  read({ doubles }: FlowCounterPage, at: number): void {
    this.packets = doubles[at + PACKETS]
    this.bytes = doubles[at + BYTES]
    this.goodput = doubles[at + GOODPUT]
    this.missing = doubles[at + MISSING]
  }
}

/** The counters of a flow as objects: made on the first read, because most flows are never read. */
class FlowView {
  readonly directions: readonly [CountedDirection, CountedDirection] = [
    new CountedDirection(),
    new CountedDirection(),
  ]
  tcp: TcpMetrics | undefined
}

/** What many flows have in common. */
export interface FlowKind {
  readonly transport: Transport
  readonly midstream: boolean
  readonly tunnel: string | undefined
  readonly vlan: number | undefined
  readonly rows: FlowCounterTable
}

/**
 * A flow in `Streams`: the public contract, and which side the ends of its table key are. There may be hundreds of
 * thousands, which the garbage collector visits: so its counters are in a row, become objects only when they are read,
 * and shared properties are in `FlowKind`.
 */
export class FlowRecord implements Flow {
  closed?: CloseReason
  closedBy?: Side
  state: unknown
  /** -1 once it is over. */
  row: number
  #client: Address
  #server: Address
  #lowSide: Side
  readonly #kind: FlowKind
  #page: FlowCounterPage
  #at: number
  #view: FlowView | undefined

  constructor(kind: FlowKind, id: number, client: Address, server: Address, lowSide: Side, start: number) {
    const { rows } = kind
    const row = rows.take()
    const page = rows.page(row)
    const at = rows.at(row)
    const both = at + 2 * page.end
    this.state = undefined
    this.row = row
    this.#client = client
    this.#server = server
    this.#lowSide = lowSide
    this.#kind = kind
    this.#page = page
    this.#at = at
    this.#view = undefined
    page.doubles[both + LAST] = start
    page.doubles[both + START] = start
    page.doubles[both + ID] = id
  }

  // No private method for these three: it would make each object eight bytes larger.
  get id(): number {
    const page = this.#page
    return page.doubles[this.#at + 2 * page.end + ID]
  }

  get start(): number {
    const page = this.#page
    return page.doubles[this.#at + 2 * page.end + START]
  }

  get last(): number {
    const page = this.#page
    return page.doubles[this.#at + 2 * page.end + LAST]
  }

  get transport(): Transport {
    return this.#kind.transport
  }

  get midstream(): boolean {
    return this.#kind.midstream
  }

  get tunnel(): string | undefined {
    return this.#kind.tunnel
  }

  get vlan(): number | undefined {
    return this.#kind.vlan
  }

  /** A new array each time, with the same two objects. */
  get ends(): readonly [Address, Address] {
    return [this.#client, this.#server]
  }

  get directions(): readonly [DirectionCounters, DirectionCounters] {
    this.#view ??= new FlowView()
    const { directions } = this.#view
    const low = this.#lowSide
    directions[low].read(this.#page, this.#at)
    directions[low === 0 ? 1 : 0].read(this.#page, this.#at + this.#page.end)
    return directions
  }

  get tcp(): TcpMetrics | undefined {
    const { measure } = this.#kind.rows
    if (measure === undefined) return undefined
    this.#view ??= new FlowView()
    const view = this.#view
    view.tcp = measure(this.#page, this.#at, this.#lowSide, view.tcp)
    return view.tcp
  }

  get unmarked(): boolean {
    if (this.row < 0 || this.#kind.rows.measure !== undefined) return true
    const { doubles, end } = this.#page
    return doubles[(this.#lowSide === 0 ? this.#at : this.#at + end) + MARK] === 0
  }

  get sequences(): readonly [number | undefined, number | undefined] | undefined {
    if (this.#kind.rows.measure === undefined) return undefined
    const { ints, end } = this.#page
    const both = (this.#at + 2 * end) << 1
    const isOver = this.row < 0
    const low = isOver ? keptInitial(ints, both, SYN_BY_LOW, INITIAL_LOW) : initialOf(ints, this.#at << 1)
    const high = isOver
      ? keptInitial(ints, both, SYN_BY_HIGH, INITIAL_HIGH)
      : initialOf(ints, (this.#at + end) << 1)
    return this.#lowSide === 0 ? [low, high] : [high, low]
  }

  get unacked(): readonly [number | undefined, number | undefined] | undefined {
    if (this.#kind.rows.measure === undefined) return undefined
    const both = this.#at + 2 * this.#page.end
    const low = this.#page.doubles[both + UNACKED_LOW] || undefined
    const high = this.#page.doubles[both + UNACKED_HIGH] || undefined
    if (low === undefined && high === undefined) return undefined
    return this.#lowSide === 0 ? [low, high] : [high, low]
  }

  get resent(): readonly Resent[] | undefined {
    return resentOf(this)
  }

  /** The side of the high or the low end of the table key. */
  side(high: boolean): Side {
    return high === (this.#lowSide === 0) ? 1 : 0
  }

  /** Swaps client and server, with their counters. */
  flip(): void {
    const client = this.#client
    this.#client = this.#server
    this.#server = client
    this.#lowSide = this.#lowSide === 0 ? 1 : 0
    if (this.closedBy !== undefined) this.closedBy = this.closedBy === 0 ? 1 : 0
  }

  /** The flow is over: its counters move to a page that is never reused. */
  close(reason: CloseReason): void {
    const { rows } = this.#kind
    this.closed = reason
    this.#page = rows.keep(this.row)
    this.#at = rows.keptAt
    this.row = -1
  }
}

function initialOf(ints: Int32Array, end: number): number | undefined {
  return (ints[end + END] & SYN_SEEN) === 0 ? undefined : ints[end + INITIAL]
}

function keptInitial(ints: Int32Array, both: number, seen: number, initial: number): number | undefined {
  return (ints[both + STATE] & seen) === 0 ? undefined : ints[both + initial]
}
