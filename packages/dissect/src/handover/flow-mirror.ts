import type { Address, CloseReason, Flow, Half, Side, TcpMetrics, Transport } from '@tapdeck/wire'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** A flow of another thread as it was when that last told of it. */
export class FlowMirror implements Flow {
  readonly id: number
  readonly transport: Transport
  ends: readonly [Address, Address]
  readonly midstream: boolean
  readonly start: number
  last: number
  readonly halves: readonly [Half, Half] = [
    { packets: 0, bytes: 0, goodput: 0, missing: 0 },
    { packets: 0, bytes: 0, goodput: 0, missing: 0 },
  ]
  tcp?: Mutable<TcpMetrics>
  closed?: CloseReason
  closedBy?: Side
  tunnel?: string
  vlan?: number
  state: unknown

  constructor(
    id: number,
    transport: Transport,
    ends: readonly [Address, Address],
    midstream: boolean,
    start: number,
  ) {
    this.id = id
    this.transport = transport
    this.ends = ends
    this.midstream = midstream
    this.start = start
    this.last = start
  }
}
