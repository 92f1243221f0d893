import type { Address, CloseReason, Flow, Half, Side, TcpMetrics, Transport } from '../flow.ts'
import {
  BYTES,
  GOODPUT,
  ID,
  LAST,
  MISSING,
  type NumberPage,
  type NumberRows,
  PACKETS,
  START,
} from './number-rows.ts'

class FlowHalf implements Half {
  packets = 0
  bytes = 0
  goodput = 0
  missing = 0

  read({ doubles }: NumberPage, at: number): void {
    this.packets = doubles[at + PACKETS]
    this.bytes = doubles[at + BYTES]
    this.goodput = doubles[at + GOODPUT]
    this.missing = doubles[at + MISSING]
  }
}

/** What was shown of a flow's numbers last: most flows are never asked for them. */
class FlowView {
  readonly halves: readonly [FlowHalf, FlowHalf] = [new FlowHalf(), new FlowHalf()]
  tcp: TcpMetrics | undefined
}

/** What a great many flows have in common. */
export interface FlowKind {
  readonly transport: Transport
  readonly midstream: boolean
  readonly tunnel: string | undefined
  readonly vlan: number | undefined
  readonly rows: NumberRows
}

/**
 * A flow as `Streams` keeps it: the public contract, and which side the ends of its table key are. There may be hundreds of
 * thousands of them, which the collector moves and visits: so all of its numbers stand in a row, and become objects only
 * when somebody asks for them; and what it has in common with others it does not have itself.
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
  #page: NumberPage
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

  // These three have no method in common: an object of a class with private methods is eight bytes larger.
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

  /** The list is made for whoever asks; the ends are the same each time. */
  get ends(): readonly [Address, Address] {
    return [this.#client, this.#server]
  }

  get halves(): readonly [Half, Half] {
    this.#view ??= new FlowView()
    const { halves } = this.#view
    const low = this.#lowSide
    halves[low].read(this.#page, this.#at)
    halves[low === 0 ? 1 : 0].read(this.#page, this.#at + this.#page.end)
    return halves
  }

  get tcp(): TcpMetrics | undefined {
    const { measure } = this.#kind.rows
    if (measure === undefined) return undefined
    this.#view ??= new FlowView()
    const view = this.#view
    view.tcp = measure(this.#page, this.#at, view.tcp)
    return view.tcp
  }

  /** The side of the high or the low end of the table key. */
  side(high: boolean): Side {
    return high === (this.#lowSide === 0) ? 1 : 0
  }

  /** Client and server change places, with all that was counted of them. */
  flip(): void {
    const client = this.#client
    this.#client = this.#server
    this.#server = client
    this.#lowSide = this.#lowSide === 0 ? 1 : 0
    if (this.closedBy !== undefined) this.closedBy = this.closedBy === 0 ? 1 : 0
  }

  /** It is over: its numbers go to a place of their own, and its row to another. */
  close(reason: CloseReason): void {
    const { rows } = this.#kind
    this.closed = reason
    this.#page = rows.keep(this.row)
    this.#at = rows.keptAt
    this.row = -1
  }
}
