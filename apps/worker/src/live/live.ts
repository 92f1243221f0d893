import { Problem } from '@tapdeck/api'
import { type Call, type Endpoint, protocols } from '@tapdeck/dissect'
import { type CallIndex, isCorrupt } from '@tapdeck/index'
import { NameIndex, type NamesDelta } from '@tapdeck/inventory'
import { compile, createCatalog } from '@tapdeck/kfl'
import { answerQuestion, type Input, type QuestionName } from '@tapdeck/questions'
import { Owners, type RecordedEvent } from '@tapdeck/recording'
import { createRedactor, type Redactor } from '@tapdeck/redact'
import { CapturedKeys } from '../keys/captured-keys.ts'
import type { StoredSecret } from '../keys/sealed-key-log.ts'
import { Backfill, type BackfillStatus } from '../rewind/backfill.ts'
import type { DissectionContext } from '../rewind/dissect-window.ts'
import { addCounts } from './add-counts.ts'
import { DelayedBlocks } from './delayed-blocks.ts'
import { firstTime } from './first-time.ts'
import { IndexCoverage } from './index-coverage.ts'
import { LiveCalls } from './live-calls.ts'
import { liveCallsMessage } from './live-calls-message.ts'
import { LiveIndex } from './live-index.ts'
import type {
  BackfillInput,
  CaptureProgress,
  LiveNotification,
  LiveStart,
  LiveStatus,
} from './live-message.ts'
import { RepeatedFault } from './repeated-fault.ts'
import { Subscription } from './subscription.ts'
import { createTargets, type TargetOptions, type Targets } from './targets.ts'
import { UnfinishedCalls } from './unfinished-calls.ts'

/** Calls become visible to queries this long after they happened, at the latest. A flush that failed is tried again. */
const FLUSH_MS = 300
const PUBLISH_MS = 100
/** Bytes that all connections together may buffer. */
const TOTAL_BUFFERS = 64 * 1024 * 1024
const MAX_SUBSCRIPTIONS = 1000
/** How long packets wait for TLS secrets, milliseconds. */
const SECRETS_WAIT = { least: 500, most: 10_000 }
/** After this long without a packet, the wall clock advances the dissection. */
const QUIET_MS = 5000
/** A backfill that has not begun after this long is not expected any more. */
const BACKFILL_BY_MS = 5000

/**
 * The live index of this node: written while indexing is on, queried at any time. It is opened on first use, so that a
 * dormant node without queries pays nothing for it.
 */
export class Live {
  readonly #damaged: () => void
  readonly #start: LiveStart
  readonly #notify: (notification: LiveNotification) => void
  readonly #catalog = createCatalog(protocols)
  #targets: Targets
  readonly #subscriptions = new Map<number, Subscription>()
  readonly #past = { packets: 0, calls: 0, duplicates: 0, copies: 0, unnamed: 0, undecided: 0 }
  readonly #pastLoss: Record<string, number> = {}
  readonly #owners = new Owners()
  readonly #names = new NameIndex()
  readonly #index: LiveIndex
  #calls: LiveCalls | undefined
  #flushTimer: NodeJS.Timeout | undefined
  #publishTimer: NodeJS.Timeout | undefined
  #flushing: Promise<unknown> = Promise.resolve()
  #quietTimer: NodeJS.Timeout | undefined
  #backfillTimer: NodeJS.Timeout | undefined
  #heard = 0
  #flushes = 0
  #backfill: Backfill | undefined
  /** The period that the backfill belongs to. */
  #backfilled: LiveCalls | undefined
  #unrecorded: BackfillInput['unrecorded'] = []
  #packetsSince: number | undefined
  #coverage: IndexCoverage
  readonly #unfinished = new UnfinishedCalls()
  readonly #unwritten = new RepeatedFault((what, error) => this.#fault(what, error))
  #isClosing = false
  readonly #keys: CapturedKeys | undefined
  readonly #delayed: DelayedBlocks | undefined
  readonly redactor: Redactor | undefined

  /** `damaged` is called when the open index was moved away as damaged. Only a new `Live` opens a new one. */
  constructor(
    start: LiveStart,
    notify: (notification: LiveNotification) => void,
    damaged: () => void = () => {},
  ) {
    this.#start = start
    this.#damaged = damaged
    this.#notify = notify
    this.#targets = createTargets(start.targets)
    this.redactor = createRedactor(start.redaction)
    this.#keys = start.opensTls ? new CapturedKeys() : undefined
    this.#delayed = start.opensTls ? new DelayedBlocks(SECRETS_WAIT, (bytes) => this.#take(bytes)) : undefined
    this.#coverage = new IndexCoverage(start.folder)
    this.#index = new LiveIndex(start, this.#catalog, {
      packetsSince: () => this.#packetsSince,
      replaced: (reason, error) => {
        this.#coverage = new IndexCoverage(start.folder)
        this.#fault(reason, error)
      },
    })
  }

  get indexing(): boolean {
    return this.#calls !== undefined
  }

  get status(): Omit<LiveStatus, 'lag' | 'waiting'> {
    const counts = { ...this.#past }
    const loss = { ...this.#pastLoss }
    addCounts(counts, this.#calls?.counts ?? {})
    addCounts(loss, this.#calls?.loss ?? {})
    addCounts(loss, this.#index.loss)
    return {
      indexing: this.indexing,
      ...counts,
      loss,
      ...(this.#index.queue && { queue: this.#index.queue }),
      ...(this.#backfill && { backfill: this.#backfill.status }),
      ...this.#coverage.status,
    }
  }

  /** The longest delay of a call in milliseconds, since the last call of this method. */
  takeLag(): number {
    return this.#calls?.takeLag() ?? 0
  }

  /** Progress of the capture thread. `waiting`: blocks that arrived here and are not read yet. */
  recorded({ since, until }: CaptureProgress, waiting: number): void {
    this.#packetsSince = since === null ? Number.POSITIVE_INFINITY : since
    if (waiting > 0 || !this.indexing) return
    const oldest = this.#delayed?.oldest
    const first = oldest === undefined ? undefined : firstTime(oldest)
    this.#coverage.caughtUp(first === undefined ? until : Math.min(until, Math.floor(first / 1000)))
    if (oldest !== undefined) return
    const isIdle = this.#flushTimer === undefined && this.#flushes === 0
    if (isIdle) this.#coverage.written(this.#coverage.givenBefore(this.#calls?.oldestWaiting), undefined, [])
  }

  /** Begins a period of indexing. No block may be pushed before this resolves. */
  async begin(preamble: Uint8Array): Promise<void> {
    await this.end()
    const index = await this.#index.open()
    const { node, nodeIp, bodyBytes } = this.#start
    const calls = new LiveCalls({
      index,
      node,
      ...(nodeIp !== undefined && { nodeIp }),
      packetsSince: () => this.#packetsSince,
      ...(this.redactor && { redactor: this.redactor }),
      limits: { body: bodyBytes, total: TOTAL_BUFFERS },
      targets: (src, dst) => this.#targets(src, dst),
      resolver: () => this.#names,
      owners: this.#owners,
      ...(this.#keys && { keys: this.#keys.live }),
      subscriptions: this.#subscriptions,
      changed: () => this.#changed(),
      holdUnfinished: (call, peers) => !this.#isClosing && this.#unfinished.hold(call, peers),
      fault: (error, protocol) => this.#fault(`Defect in the ${protocol} dissector; indexing goes on`, error),
    })
    calls.push(preamble)
    this.#calls = calls
    this.#coverage.begin(Date.now())
    this.#backfillTimer = setTimeout(() => this.#endBackfill(calls, index), BACKFILL_BY_MS).unref()
    this.#quietTimer = setInterval(() => this.#advanceClock(), QUIET_MS).unref()
  }

  /** Takes blocks, or more of the preamble. Has no effect while dormant. */
  push(bytes: Uint8Array): void {
    this.#heard = Date.now()
    if (this.#delayed && this.#calls) this.#delayed.push(bytes)
    else this.#take(bytes)
  }

  #take(bytes: Uint8Array): void {
    const time = firstTime(bytes)
    if (time !== undefined && this.#calls) this.#coverage.push(time)
    try {
      this.#calls?.push(bytes)
    } catch (error) {
      this.#fault('Dissecting a block of packets failed; its calls are missing', error)
    }
  }

  /** Ends a period of indexing. All its calls are visible afterwards. */
  async end(reason = 'switch_off'): Promise<void> {
    const calls = this.#calls
    if (!calls) return
    clearInterval(this.#quietTimer)
    clearTimeout(this.#backfillTimer)
    this.#delayed?.flush()
    calls.end()
    this.#calls = undefined
    addCounts(this.#past, calls.counts)
    addCounts(this.#pastLoss, calls.loss)
    this.#publish()
    await this.#flush(calls)
    this.#coverage.end(reason)
  }

  /**
   * Plans the backfill of all gaps since a time (Unix milliseconds). The plan is durable: after a kill, the next period
   * continues it. Returns the time from which packets are needed.
   */
  plan(since: number): number | undefined {
    const period = this.#calls
    if (period === undefined || period === this.#backfilled) return undefined
    return this.#coverage.plan(since).at(-1)?.floor
  }

  /** Indexes the planned gaps, slowly and once per period. The gap right before this period comes first. */
  async backfill({ held, since, unrecorded }: BackfillInput): Promise<BackfillStatus | undefined> {
    const period = this.#calls
    if (period === undefined || period === this.#backfilled) return undefined
    this.#backfilled = period
    clearTimeout(this.#backfillTimer)
    const backfill = new Backfill()
    this.#backfill = backfill
    this.#unrecorded = unrecorded
    const index = await this.#index.open()
    const options = {
      index,
      context: this.#context(),
      targets: (src: Endpoint, dst: Endpoint) => this.#targets(src, dst),
      changed: () => this.#changed(),
      appended: (call: Call) => this.#unfinished.indexed(call),
      isWanted: () => this.#calls === period,
    }
    try {
      for (const { from, to, floor, isLast } of this.#coverage.plan(since)) {
        const { deduplicator } = period
        // From its first packet on, live indexing has the calls.
        const first = (isLast ? this.#coverage.first : undefined) ?? Number.POSITIVE_INFINITY
        const task = {
          held,
          from: from * 1000,
          until: Math.min(to * 1000, first),
          floor: floor * 1000,
          ...(isLast && { deduplicator }),
        }
        if (!(await backfill.run(task, options))) break
        const given = this.#coverage.givenBefore(this.#calls?.oldestWaiting)
        if (await this.#flush(period)) this.#coverage.written(given, { from, to }, unrecorded)
        this.#endBackfill(period, index)
      }
    } finally {
      backfill.end()
      this.#endBackfill(period, index)
    }
    return backfill.status
  }

  /** Calls that are indexed already stay. Throws `SyntaxError` for a bad regular expression. */
  setTargets(options: TargetOptions): void {
    this.#targets = createTargets(options)
  }

  applyNames(delta: NamesDelta): void {
    this.#names.apply(delta)
    this.#calls?.namesChanged()
  }

  learnKeys(secrets: readonly StoredSecret[]): void {
    this.#keys?.add(secrets)
  }

  keysCaughtUp(readUntil: number): void {
    this.#delayed?.caughtUp(readUntil)
  }

  learnOwners(events: readonly RecordedEvent[]): void {
    for (const event of events) this.#owners.learn(event)
  }

  subscribe(subscription: number, kfl: string, traces = false): void {
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new Error(`Too many live subscriptions (max ${MAX_SUBSCRIPTIONS})`)
    this.#subscriptions.set(subscription, new Subscription(compile(kfl, this.#catalog, Date.now()), traces))
  }

  unsubscribe(subscription?: number): void {
    if (subscription === undefined) this.#subscriptions.clear()
    else this.#subscriptions.delete(subscription)
  }

  /** The answer as JSON. */
  async query<Name extends QuestionName>(name: Name, input: Input<Name>): Promise<string> {
    const index = await this.#index.open()
    try {
      return JSON.stringify(await answerQuestion(index, this.#catalog, Date.now(), name, input))
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.#index.replaceDamaged(error)
      this.#damaged()
      throw new Problem(503, 'index_damaged', 'The live index was damaged and is being rebuilt', {
        hint: 'Retry in a few seconds. Recorded packets are indexed again.',
      })
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#unfinished.size > 0) {
      this.#indexUnfinished(await this.#index.open())
      await this.#flush(this.#calls)
    }
    await this.end('stopped')
    clearTimeout(this.#flushTimer)
    clearTimeout(this.#publishTimer)
    await this.#index.close()
    this.#coverage.close()
  }

  /** After the backfill, or without one: indexes what it did not find. A period that ended leaves this to the next one. */
  #endBackfill(period: LiveCalls, index: CallIndex): void {
    period.deduplicator.finish()
    if (this.#calls === period) this.#indexUnfinished(index)
  }

  #indexUnfinished(index: CallIndex): void {
    this.#unfinished.release((call, peers) => {
      index.append(call, peers)
      this.#past.calls++
    })
    this.#changed()
  }

  #context(): DissectionContext {
    const { node, nodeIp, bodyBytes } = this.#start
    return {
      node,
      nodeIp,
      bodyBytes,
      redactor: this.redactor,
      resolver: this.#names,
      owners: this.#owners,
      ...(this.#keys && { keys: this.#keys.recorded }),
    }
  }

  #advanceClock(): void {
    const now = Date.now()
    if (now - this.#heard > QUIET_MS && this.#delayed?.oldest === undefined) this.#calls?.advance(now * 1000)
  }

  #changed(): void {
    this.#flushTimer ??= setTimeout(() => void this.#flush(this.#calls), FLUSH_MS)
    if (this.#subscriptions.size > 0) this.#publishTimer ??= setTimeout(() => this.#publish(), PUBLISH_MS)
  }

  /** Flushes run one after the other, so that a slow disk makes them rarer. Returns false if writing failed. */
  #flush(calls: LiveCalls | undefined): Promise<boolean> {
    clearTimeout(this.#flushTimer)
    this.#flushTimer = undefined
    calls?.settleFlows()
    this.#flushes++
    const flushed = this.#flushing.then(() => this.#write()).finally(() => this.#flushes--)
    this.#flushing = flushed
    return flushed
  }

  /** Makes everything that was read so far durable, and records it in the coverage. */
  async #write(): Promise<boolean> {
    const given = this.#coverage.givenBefore(this.#calls?.oldestWaiting)
    const done = this.#backfill?.done
    try {
      const index = await this.#index.open()
      await index.flush()
      this.#coverage.deleted(index.deletedUntil)
    } catch (error) {
      this.#coverage.unwritten(error)
      this.#unwritten.failed('Writing the live index failed', error)
      if (!this.#isClosing) this.#changed()
      return false
    }
    this.#unwritten.recovered()
    this.#coverage.written(given, done, this.#unrecorded)
    return true
  }

  #publish(): void {
    clearTimeout(this.#publishTimer)
    this.#publishTimer = undefined
    for (const [id, subscription] of this.#subscriptions) {
      const batch = subscription.take()
      if (batch) this.#notify(liveCallsMessage(id, batch))
    }
  }

  #fault(what: string, error: unknown): void {
    this.#notify({
      kind: 'fault',
      what,
      detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}
