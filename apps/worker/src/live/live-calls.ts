import { type Call, Dissection, type Endpoint, type Limits, toCallRecord } from '@tapdeck/dissect'
import type { CallIndex, Peers } from '@tapdeck/index'
import type { Resolver } from '@tapdeck/inventory'
import { CaptureReader, type Flow, type Loss, type Side } from '@tapdeck/wire'
import type { Subscription } from './subscription.ts'
import type { Targets } from './targets.ts'

export const CAPTURE_SOURCE = 'af_packet'

export interface LiveCallsOptions {
  readonly index: CallIndex
  readonly node: string
  readonly limits: Partial<Limits>
  readonly targets: Targets
  /** Names of addresses; may change at any time. */
  resolver(): Resolver
  readonly subscriptions: ReadonlyMap<number, Subscription>
  /** Something was appended to the index, or to a subscription. */
  changed(): void
  /** An error that is a mistake of ours; indexing goes on. */
  fault(error: unknown, protocol: string): void
}

/** One period of indexing, from the switch's on to its off: blocks of packets in, calls to the index and the viewers. */
export class LiveCalls {
  readonly loss: Loss = {}
  readonly #options: LiveCallsOptions
  readonly #dissection: Dissection
  readonly #reader: CaptureReader
  /** Open flows with calls since the last flush: their newest state is worth showing. */
  readonly #touched = new Set<Flow>()

  constructor(options: LiveCallsOptions) {
    this.#options = options
    this.#dissection = new Dissection({
      limits: options.limits,
      loss: this.loss,
      emit: (call) => this.#emit(call),
      flow: (flow) => this.#closed(flow),
      fault: options.fault,
    })
    this.#reader = new CaptureReader(this.#dissection, this.loss)
  }

  get packets(): number {
    return this.#dissection.packets
  }

  get calls(): number {
    return this.#dissection.calls
  }

  /** Takes whole blocks of pcapng, in the order of capture. */
  push(bytes: Uint8Array): void {
    this.#reader.push(bytes)
  }

  /** On a quiet network no packet tells the time: `now`, in microseconds, does. Requests nobody answered end by it. */
  advance(now: number): void {
    this.#dissection.advance(now)
  }

  /** Gives the index the newest state of open flows. To be called before each flush. */
  settleFlows(): void {
    for (const flow of this.#touched) this.#appendFlow(flow)
    this.#touched.clear()
  }

  /** No packet follows: what waits for one is given up and told. */
  end(): void {
    this.#dissection.end()
  }

  #emit(call: Call): void {
    const { index, node, targets, subscriptions, changed } = this.#options
    const peers = this.#peers(call.flow, call.side, call.start)
    if (!targets(peers.src, peers.dst)) return
    index.append(call, peers)
    if (call.flow.closed === undefined) this.#touched.add(call.flow)
    if (subscriptions.size > 0) {
      const record = toCallRecord(call, peers, node, CAPTURE_SOURCE)
      const now = Date.now()
      for (const subscription of subscriptions.values()) subscription.offer(record, now)
    }
    changed()
  }

  #closed(flow: Flow): void {
    this.#touched.delete(flow)
    this.#appendFlow(flow)
    this.#options.changed()
  }

  #appendFlow(flow: Flow): void {
    const peers = this.#peers(flow, 0, flow.start)
    if (this.#options.targets(peers.src, peers.dst)) this.#options.index.appendFlow(flow, peers)
  }

  #peers(flow: Flow, side: Side, time: number): Peers {
    const resolver = this.#options.resolver()
    const ms = time / 1000
    return {
      src: named(flow, side, resolver, ms),
      dst: named(flow, side === 0 ? 1 : 0, resolver, ms),
    }
  }
}

function named(flow: Flow, side: Side, resolver: Resolver, ms: number): Endpoint {
  const { ip, port } = flow.ends[side]
  return { ip, port, ...resolver.resolve(ip, port, ms) }
}
