import type { WorkerMessage } from '@tapdeck/api'
import { protocols } from '@tapdeck/dissect'
import { answerQuestion, type CallIndex, isQuestion, openIndex } from '@tapdeck/index'
import { createResolver, parseInventory, type Resolver } from '@tapdeck/inventory'
import { compile, createCatalog } from '@tapdeck/kfl'
import { Owners, type RecordedEvent } from '@tapdeck/recording'
import { createRedactor, type Redactor } from '@tapdeck/redact'
import { Backfill, type BackfillStatus } from '../rewind/backfill.ts'
import type { Held } from '../rewind/rewind-message.ts'
import { firstTime } from './first-time.ts'
import { CAPTURE_SOURCE, LiveCalls } from './live-calls.ts'
import type { LiveNews, LiveStart, LiveStatus } from './live-message.ts'
import { Subscription } from './subscription.ts'
import { createTargets, type Targets } from './targets.ts'

/** Calls become visible to queries this long after they happened, at the latest. */
const FLUSH_MS = 300
const PUBLISH_MS = 100
const ENGINE_MEMORY = 192 * 1024 * 1024
/** Bytes that all connections together may buffer. */
const TOTAL_BUFFERS = 64 * 1024 * 1024
const MAX_SUBSCRIPTIONS = 1000
/** After this long without a packet, the clock tells the time in their place. */
const QUIET_MS = 5000
/** If nobody begins by then to index what was recorded before, nobody will. */
const BACKFILL_BY_MS = 5000

/**
 * The live index of this node: written while indexing is on, answering always. It is opened when it is first needed,
 * so that a dormant node that nobody asks pays nothing for it.
 */
export class Live {
  readonly #start: LiveStart
  readonly #tell: (news: LiveNews) => void
  readonly #catalog = createCatalog(protocols)
  readonly #targets: Targets
  readonly #subscriptions = new Map<number, Subscription>()
  readonly #past = { packets: 0, calls: 0, loss: {} as Record<string, number> }
  readonly #owners = new Owners()
  #resolver: Resolver = createResolver({ pods: [], services: [] })
  #index: Promise<CallIndex> | undefined
  #opened: CallIndex | undefined
  #calls: LiveCalls | undefined
  #flushTimer: NodeJS.Timeout | undefined
  #publishTimer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()
  #quietTimer: NodeJS.Timeout | undefined
  #backfillTimer: NodeJS.Timeout | undefined
  #heard = 0
  /** When the first packet of this period was captured, in microseconds. */
  #first: number | undefined
  #backfill: Backfill | undefined
  /** The period that it is, or was, for. */
  #backfilled: LiveCalls | undefined
  #packetsSince: number | undefined
  readonly #redactor: Redactor | undefined

  constructor(start: LiveStart, tell: (news: LiveNews) => void) {
    this.#start = start
    this.#tell = tell
    this.#targets = createTargets(start.targets)
    this.#redactor = createRedactor(start.redaction)
  }

  get indexing(): boolean {
    return this.#calls !== undefined
  }

  get status(): Omit<LiveStatus, 'lag' | 'waiting'> {
    const { packets, calls } = this.#past
    const loss = { ...this.#past.loss }
    if (this.#calls) add(loss, this.#calls.loss)
    if (this.#opened) add(loss, this.#opened.loss)
    return {
      indexing: this.indexing,
      packets: packets + (this.#calls?.packets ?? 0),
      calls: calls + (this.#calls?.calls ?? 0),
      loss,
      ...(this.#backfill && { backfill: this.#backfill.status }),
    }
  }

  /** How late calls were at most, in milliseconds, since this was last asked. */
  takeLag(): number {
    return this.#calls?.takeLag() ?? 0
  }

  /** From when on the ring holds packets: they come and go without this thread. */
  recorded(since: number | null | undefined): void {
    this.#packetsSince = since === null ? Number.POSITIVE_INFINITY : since
  }

  /** Begins a period of indexing. Blocks must wait until this is done. */
  async begin(preamble: Uint8Array): Promise<void> {
    await this.end()
    const index = await this.#openIndex()
    const { node, nodeIp, bodyBytes } = this.#start
    const calls = new LiveCalls({
      index,
      node,
      ...(nodeIp !== undefined && { nodeIp }),
      packetsSince: () => this.#packetsSince,
      ...(this.#redactor && { redactor: this.#redactor }),
      limits: { body: bodyBytes, total: TOTAL_BUFFERS },
      targets: this.#targets,
      resolver: () => this.#resolver,
      owners: this.#owners,
      subscriptions: this.#subscriptions,
      changed: () => this.#changed(),
      fault: (error, protocol) => this.#fault(`a mistake in the dissector of ${protocol}`, error),
    })
    calls.push(preamble)
    this.#calls = calls
    this.#first = undefined
    this.#backfillTimer = setTimeout(() => calls.border.read(), BACKFILL_BY_MS).unref()
    this.#quietTimer = setInterval(() => this.#tellTime(), QUIET_MS).unref()
  }

  /** Blocks, or more of the preamble. Without effect while dormant. */
  push(bytes: Uint8Array): void {
    this.#heard = Date.now()
    this.#first ??= firstTime(bytes)
    try {
      this.#calls?.push(bytes)
    } catch (error) {
      this.#fault('a block of packets could not be dissected', error)
    }
  }

  /** Ends a period of indexing; all it found is visible afterwards. */
  async end(): Promise<void> {
    const calls = this.#calls
    if (!calls) return
    clearInterval(this.#quietTimer)
    clearTimeout(this.#backfillTimer)
    calls.end()
    this.#calls = undefined
    this.#past.packets += calls.packets
    this.#past.calls += calls.calls
    add(this.#past.loss, calls.loss)
    this.#publish()
    await this.#flush(calls)
  }

  /** Indexes what was recorded from a time (Unix milliseconds) up to the beginning of this period, slowly, and once a period. */
  async backfill(held: Held, since: number): Promise<BackfillStatus | undefined> {
    const period = this.#calls
    if (period === undefined || period === this.#backfilled) return undefined
    this.#backfilled = period
    clearTimeout(this.#backfillTimer)
    const { node, nodeIp, bodyBytes } = this.#start
    const backfill = new Backfill()
    this.#backfill = backfill
    const until = this.#first ?? Date.now() * 1000
    try {
      await backfill.run(
        { held, from: since * 1000, until },
        {
          index: await this.#openIndex(),
          bench: {
            node,
            nodeIp,
            bodyBytes,
            redactor: this.#redactor,
            resolver: this.#resolver,
            owners: this.#owners,
          },
          targets: this.#targets,
          border: period.border,
          changed: () => this.#changed(),
          goesOn: () => this.#calls === period,
        },
      )
    } finally {
      period.border.read()
    }
    return backfill.status
  }

  setInventory(value: unknown): void {
    this.#resolver = createResolver(parseInventory(value))
  }

  learnOwners(events: readonly RecordedEvent[]): void {
    for (const event of events) this.#owners.learn(event)
  }

  subscribe(subscription: number, kfl: string): void {
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) throw new Error('too many subscriptions')
    this.#subscriptions.set(subscription, new Subscription(compile(kfl, this.#catalog, Date.now())))
  }

  unsubscribe(subscription?: number): void {
    if (subscription === undefined) this.#subscriptions.clear()
    else this.#subscriptions.delete(subscription)
  }

  /** The answer as JSON. */
  async query(name: string, input: unknown): Promise<string> {
    if (!isQuestion(name)) throw new Error(`"${name}" is no question`)
    const index = await this.#openIndex()
    return JSON.stringify(await answerQuestion(index, this.#catalog, Date.now(), name, input as never))
  }

  async close(): Promise<void> {
    await this.end()
    clearTimeout(this.#flushTimer)
    clearTimeout(this.#publishTimer)
    const index = await this.#index?.catch(() => undefined)
    await index?.close()
  }

  #tellTime(): void {
    const now = Date.now()
    if (now - this.#heard > QUIET_MS) this.#calls?.advance(now * 1000)
  }

  /** A failure is not remembered: the next who needs the index tries again. */
  #openIndex(): Promise<CallIndex> {
    const { folder, node, nodeIp, maxBytes } = this.#start
    this.#index ??= openIndex(
      folder,
      {
        node,
        captureSource: CAPTURE_SOURCE,
        maxBytes,
        memory: ENGINE_MEMORY,
        ...(nodeIp !== undefined && { nodeIp }),
        packetsSince: () => this.#packetsSince,
      },
      this.#catalog,
    ).then(
      (index) => {
        this.#opened = index
        return index
      },
      (error) => {
        this.#index = undefined
        throw error
      },
    )
    return this.#index
  }

  #changed(): void {
    this.#flushTimer ??= setTimeout(() => void this.#flush(this.#calls), FLUSH_MS)
    if (this.#subscriptions.size > 0) this.#publishTimer ??= setTimeout(() => this.#publish(), PUBLISH_MS)
  }

  /** One after the other: a slow disk makes flushes rarer, not more. */
  #flush(calls: LiveCalls | undefined): Promise<void> {
    clearTimeout(this.#flushTimer)
    this.#flushTimer = undefined
    calls?.settleFlows()
    this.#flushing = this.#flushing.then(async () => {
      try {
        await (await this.#openIndex()).flush()
      } catch (error) {
        this.#fault('the live index could not be written', error)
      }
    })
    return this.#flushing
  }

  #publish(): void {
    clearTimeout(this.#publishTimer)
    this.#publishTimer = undefined
    for (const [subscription, waiting] of this.#subscriptions) {
      const batch = waiting.take()
      if (!batch) continue
      const message: WorkerMessage = { kind: 'calls', subscription, ...batch }
      this.#tell({ news: 'calls', text: JSON.stringify(message) })
    }
  }

  #fault(what: string, error: unknown): void {
    this.#tell({
      news: 'fault',
      what,
      detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}

function add(total: Record<string, number>, more: object): void {
  for (const [kind, count] of Object.entries(more)) total[kind] = (total[kind] ?? 0) + Number(count)
}
