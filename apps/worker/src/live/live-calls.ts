import { type Call, Dissection, type Limits, type Peers, toCallRecord, unfinished } from '@tapdeck/dissect'
import type { CallIndex } from '@tapdeck/index'
import { type Resolver, SeenNames } from '@tapdeck/inventory'
import { Pipeline } from '@tapdeck/pipeline'
import { isUndecided } from '@tapdeck/questions'
import type { Owners } from '@tapdeck/recording'
import type { Redactor } from '@tapdeck/redact'
import type { KeySource } from '@tapdeck/tls'
import { CaptureReader, type Flow, type Loss } from '@tapdeck/wire'
import { BackfillDeduplicator } from './backfill-deduplicator.ts'
import { NamelessCalls } from './nameless-calls.ts'
import type { Subscription } from './subscription.ts'
import type { Targets } from './targets.ts'
import { withTunnelNodes } from './tunnel-nodes.ts'

export const CAPTURE_SOURCE = 'af_packet'

export interface LiveCallsOptions {
  readonly index: Pick<CallIndex, 'append' | 'appendFlow'>
  readonly node: string
  readonly nodeIp?: string
  /** The oldest time that the ring still holds, in Unix milliseconds; undefined: not known. */
  packetsSince(): number | undefined
  readonly redactor?: Redactor
  readonly limits: Partial<Limits>
  readonly targets: Targets
  /** Names of addresses; may change at any time. */
  resolver(): Resolver
  /** The processes at the ends of connections, as far as known. */
  readonly owners?: Owners
  /** Secrets of TLS connections, whose content is then indexed, too. */
  readonly keys?: KeySource
  readonly subscriptions: ReadonlyMap<number, Subscription>
  /** Something was appended to the index, or to a subscription. */
  changed(): void
  /** Takes a call that is open at the end of the period. Returns false if it has to be indexed now. */
  holdUnfinished(call: Call, peers: Peers): boolean
  /** A defect in a dissector was caught; indexing goes on. */
  fault(error: unknown, protocol: string): void
}

/** One period of indexing, from switch-on to switch-off: takes blocks of packets, gives calls to the index and to subscriptions. */
export class LiveCalls {
  readonly loss: Loss = {}
  readonly deduplicator = new BackfillDeduplicator((call) => this.#index(call))
  readonly #options: LiveCallsOptions
  readonly #dissection: Dissection
  readonly #reader: CaptureReader
  /** Open flows that had calls since the last flush: their state is written with the next one. */
  readonly #touched = new Set<Flow>()
  readonly #pipeline: Pipeline
  readonly #nameless: NamelessCalls
  #calls = 0
  #undecided = 0
  /** The longest delay between the last packet of a call and its emission, since `takeLag`. */
  #lag = 0

  constructor(options: LiveCallsOptions) {
    this.#options = options
    const { redactor, owners } = options
    this.#pipeline = new Pipeline(
      { names: { resolver: () => options.resolver(), dns: new SeenNames(), owners }, redaction: redactor },
      {
        call: (call) => this.#take(call),
        flow: (flow, name) => this.#closed(flow, name(flow)),
      },
    )
    this.#nameless = new NamelessCalls({
      resolver: () => options.resolver(),
      name: (call) => this.#named(call),
      nameFlow: (flow) => this.#pipeline.nameFlow(flow),
      release: (call, peers) => this.#indexNamed(call, peers),
      releaseFlow: (flow, peers) => {
        this.#appendFlow(flow, peers)
        options.changed()
      },
    })
    this.#dissection = new Dissection({
      ...this.#pipeline.handlers,
      limits: options.limits,
      loss: this.loss,
      fault: options.fault,
      keys: () => options.keys,
      concealDecrypted: true,
    })
    this.#reader = new CaptureReader(this.#dissection, this.loss)
  }

  get counts() {
    return {
      packets: this.#dissection.packets,
      calls: this.#calls,
      /** Calls that were another view of one that was indexed. */
      duplicates: this.#pipeline.duplicates,
      /** Packets that were captured more than once, and count once. */
      copies: this.#dissection.duplicateCaptures,
      /** Calls of pods whose names did not arrive in time. */
      unnamed: this.#nameless.unnamed,
      /** Calls that other nodes may report as well. */
      undecided: this.#undecided,
    }
  }

  /** When the first call that waits for names ended, Unix milliseconds; undefined: none waits. */
  get oldestWaiting(): number | undefined {
    return this.#nameless.oldestEnd
  }

  /** Names of addresses have changed. */
  namesChanged(): void {
    this.#nameless.check()
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

  /** Advances the clock to `now` (microseconds) while no packet arrives, so that unanswered requests time out. */
  advance(now: number): void {
    this.#dissection.advance(now)
  }

  /** Gives the index the newest state of open flows. To be called before each flush. */
  settleFlows(): void {
    for (const flow of this.#touched) this.#appendFlow(flow, this.#pipeline.nameFlow(flow))
    this.#touched.clear()
  }

  /** No packet follows: emits what still waits for one. */
  end(): void {
    this.#dissection.end()
    this.deduplicator.finish()
    this.#nameless.flush()
  }

  #take(call: Call): void {
    // An unanswered call is emitted at its timeout, which is not a delay.
    if (call.response !== undefined) this.#lag = Math.max(this.#lag, Date.now() - call.end / 1000)
    if (!this.deduplicator.hold(call)) this.#index(call)
  }

  #index(call: Call): void {
    const peers = this.#named(call)
    if (peers === undefined || !this.#nameless.hold(call, peers)) this.#indexNamed(call, peers)
  }

  #named(call: Call): Peers | undefined {
    const peers = this.#pipeline.name(call)
    return peers && withTunnelNodes(peers, call.flow, call.side, this.#options.resolver())
  }

  #indexNamed(call: Call, peers: Peers | undefined): void {
    const { index, node, subscriptions, changed, targets, holdUnfinished } = this.#options
    const isWanted = peers !== undefined && targets(peers.src, peers.dst)
    if (isWanted && call.missing === unfinished && holdUnfinished(call, peers)) return
    this.#calls++
    if (!isWanted) return
    if (isUndecided(peers, this.#options.resolver().hasRanges)) this.#undecided++
    index.append(call, peers)
    if (call.flow.closed === undefined) this.#touched.add(call.flow)
    if (subscriptions.size > 0) {
      const record = toCallRecord(call, peers, node, CAPTURE_SOURCE, this.#known(call))
      const now = Date.now()
      for (const subscription of subscriptions.values()) subscription.offer(record, now)
    }
    changed()
  }

  #known(call: Call): { readonly node_ip?: string; readonly has_pcap?: boolean } {
    const { nodeIp } = this.#options
    const since = this.#options.packetsSince()
    return {
      ...(nodeIp !== undefined && { node_ip: nodeIp }),
      ...(since !== undefined && { has_pcap: call.start / 1000 >= since }),
    }
  }

  #closed(flow: Flow, peers: Peers): void {
    this.#touched.delete(flow)
    if (this.#nameless.holdFlow(flow, peers)) return
    this.#appendFlow(flow, peers)
    this.#options.changed()
  }

  #appendFlow(flow: Flow, peers: Peers | undefined): void {
    if (!peers || !this.#options.targets(peers.src, peers.dst)) return
    this.#options.index.appendFlow(flow, withTunnelNodes(peers, flow, 0, this.#options.resolver()))
  }
}
