import {
  addressAnswers,
  type Call,
  Dissection,
  type Endpoint,
  type Limits,
  toCallRecord,
} from '@tapdeck/dissect'
import type { CallIndex, Peers } from '@tapdeck/index'
import { type Resolver, SeenNames } from '@tapdeck/inventory'
import type { Owners } from '@tapdeck/recording'
import type { Redactor } from '@tapdeck/redact'
import { CaptureReader, type Flow, type Loss, type Side } from '@tapdeck/wire'
import { Border } from './border.ts'
import type { Subscription } from './subscription.ts'
import type { Targets } from './targets.ts'

export const CAPTURE_SOURCE = 'af_packet'

export interface LiveCallsOptions {
  readonly index: CallIndex
  readonly node: string
  readonly nodeIp?: string
  /** Unix milliseconds from which on packets are kept in the ring; undefined: not known. */
  packetsSince(): number | undefined
  readonly redactor?: Redactor
  readonly limits: Partial<Limits>
  readonly targets: Targets
  /** Names of addresses; may change at any time. */
  resolver(): Resolver
  /** Which processes are at the ends of connections, as far as that is known. */
  readonly owners?: Owners
  readonly subscriptions: ReadonlyMap<number, Subscription>
  /** Something was appended to the index, or to a subscription. */
  changed(): void
  /** An error that is a mistake of ours; indexing goes on. */
  fault(error: unknown, protocol: string): void
}

/** One period of indexing, from the switch's on to its off: blocks of packets in, calls to the index and the viewers. */
export class LiveCalls {
  readonly loss: Loss = {}
  readonly border = new Border((call) => this.#tell(call))
  readonly #options: LiveCallsOptions
  readonly #dissection: Dissection
  readonly #reader: CaptureReader
  /** Open flows with calls since the last flush: their newest state is worth showing. */
  readonly #touched = new Set<Flow>()
  readonly #seen = new SeenNames()
  #calls = 0
  /** The longest time from a call's last packet to here, lately. */
  #lag = 0

  constructor(options: LiveCallsOptions) {
    this.#options = options
    const { redactor } = options
    this.#dissection = new Dissection({
      limits: options.limits,
      loss: this.loss,
      emit: redactor ? (call) => this.#emit(redactor.call(call)) : (call) => this.#emit(call),
      flow: (flow) => this.#closed(flow),
      fault: options.fault,
    })
    this.#reader = new CaptureReader(this.#dissection, this.loss)
  }

  get packets(): number {
    return this.#dissection.packets
  }

  get calls(): number {
    return this.#calls
  }

  takeLag(): number {
    const lag = Math.round(this.#lag)
    this.#lag = 0
    return lag
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
    this.border.read()
  }

  #emit(call: Call): void {
    if (call.protocol === 'dns') this.#learn(call)
    // One that nobody answered is found when its time is over: that is not being late.
    if (call.response !== undefined) this.#lag = Math.max(this.#lag, Date.now() - call.end / 1000)
    if (!this.border.take(call)) this.#tell(call)
  }

  #tell(call: Call): void {
    this.#calls++
    const { index, node, targets, subscriptions, changed } = this.#options
    const peers = this.#peers(call.flow, call.side, call.start)
    if (!targets(peers.src, peers.dst)) return
    index.append(call, peers)
    if (call.flow.closed === undefined) this.#touched.add(call.flow)
    if (subscriptions.size > 0) {
      const record = toCallRecord(call, peers, node, CAPTURE_SOURCE, this.#known(call))
      const now = Date.now()
      for (const subscription of subscriptions.values()) subscription.offer(record, now)
    }
    changed()
  }

  #learn(call: Call): void {
    const told = addressAnswers(call)
    for (const { ip, ttl } of told?.addresses ?? []) this.#seen.learn(told!.name, ip, call.end / 1000, ttl)
  }

  #known(call: Call): { readonly node_ip?: string; readonly has_pcap?: boolean } {
    const { nodeIp } = this.#options
    const since = this.#options.packetsSince()
    return {
      ...(nodeIp !== undefined && { node_ip: nodeIp }),
      ...(since !== undefined && { has_pcap: call.start / 1000 >= since }),
    }
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
    const { resolver, owners } = this.#options
    const ms = time / 1000
    const named = (end: Side): Endpoint => {
      const { ip, port } = flow.ends[end]
      const dns = this.#seen.name(ip, ms)
      const names = resolver().resolve(ip, port, ms)
      const process = owners?.of(flow, end)
      const peer = dns === undefined ? { ip, port, ...names } : { ip, port, ...names, dns }
      return process === undefined ? peer : { ...peer, process }
    }
    return { src: named(side), dst: named(side === 0 ? 1 : 0) }
  }
}
