import { close } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { Problem, type WorkerReport } from '@tapdeck/api'
import { entriesOf, parseInventory } from '@tapdeck/inventory'
import type { CoverageState, WindowPart } from '@tapdeck/recording'
import type { CaptureRequests, CaptureStart } from './capture/capture-message.ts'
import type { NodeKeys } from './keys/node-keys.ts'
import type { PodName } from './keys/process-targets.ts'
import type { StoredSecret } from './keys/sealed-key-log.ts'
import { KnownNames } from './known-names.ts'
import { IndexingLimits } from './limits/indexing-limits.ts'
import { FaultLog } from './live/fault-log.ts'
import { IndexCoverage } from './live/index-coverage.ts'
import type {
  BackfillInput,
  LiveCallsMessage,
  LiveNotification,
  LiveRequests,
  LiveStart,
  LiveStatus,
} from './live/live-message.ts'
import type { TargetOptions } from './live/targets.ts'
import { loadRedactor } from './load-redactor.ts'
import type { Log } from './log.ts'
import { OsEvents, type OsEventsOptions } from './os/os-events.ts'
import type { RewindStart } from './rewind/rewind-message.ts'
import { RewindQueue } from './rewind/rewind-queue.ts'
import type { ThreadAnswer } from './threads/serve-requests.ts'
import { ThreadLink } from './threads/thread-link.ts'
import { idleStatus, workerReport } from './worker-report.ts'
import type { Thread, WorkerServices } from './worker-services.ts'

const closeFile = promisify(close)
const RESTART_MS = 1000
const BACKFILL_AFTER_MS = 1000
const BACKFILL_LEAD_MS = 60_000
/** The capture thread makes little garbage; a larger young generation would only use memory. */
const CAPTURE_YOUNG_MB = 2
/** With many open connections, a larger young generation saves most of the garbage collector's work. */
const LIVE_YOUNG_MB = 64

export interface WorkerThreadsOptions {
  readonly captureThread: URL
  readonly liveThread: URL
  readonly rewindThread: URL
  readonly capture: CaptureStart
  readonly live: LiveStart
  readonly rewind: RewindStart
  /** Milliseconds of the recording that are indexed when indexing begins; 0: none. */
  readonly backfill: number
  /** Storage of process events; absent: they are not recorded. */
  readonly events?: Omit<OsEventsOptions, 'owned' | 'shownArgument'>
  /** The file in which the names that the hub sends are kept. */
  readonly names: string
  /** The TLS secrets of this node; absent: none are collected. */
  readonly keys?: NodeKeys | undefined
  readonly log: Log
  calls(message: LiveCallsMessage): void
  /** The live thread was restarted and has no subscriptions. */
  liveRestarted(): void
  /** The capture thread ended unexpectedly; the worker cannot continue. */
  captureEnded(): void
}

/**
 * The threads of a worker: capture, live indexing, and rewind. The live thread starts on first use, so that a dormant node pays nothing for it,
 * and is restarted if it ends; recording does not depend on it.
 */
export class WorkerThreads implements WorkerServices {
  readonly live: Thread<LiveRequests> = {
    ask: (name, input) => {
      this.#live ??= this.#startLive()
      return this.#live.ask(name, input)
    },
  }
  readonly rewind: RewindQueue
  readonly #options: WorkerThreadsOptions
  readonly #events: Promise<OsEvents | undefined>
  readonly #capture: ThreadLink<CaptureRequests>
  #live: ThreadLink<LiveRequests> | undefined
  /** Resolves when the live thread and the capture thread are connected. */
  #joined: Promise<void> = Promise.resolve()
  readonly #names: KnownNames
  /** Those that the hub sent; undefined: those of the configuration. */
  #targets: TargetOptions | undefined
  /** That the hub sent. */
  #credentialKey: string | undefined
  readonly #restored: Promise<void>
  #noEvents = 'Process events are not recorded (tap.capture.events.enabled is false)'
  #stopping = false
  #indexing = false
  readonly #limits: IndexingLimits
  /** Number of periods of indexing so far. */
  #periods = 0
  readonly #faults: FaultLog
  #recordedSince: number | null | undefined
  /** All packets up to this time had been sent to the live thread at the last report. Unix milliseconds. */
  #captured = 0
  /** Times without indexing, used until there is a live thread. */
  readonly #indexed: CoverageState

  constructor(options: WorkerThreadsOptions) {
    this.#options = options
    this.#events = this.#openEvents()
    this.#indexed = new IndexCoverage(options.live.folder).state
    // The segments that it opens for a window are closed by their reader in this thread.
    const capture = new Worker(options.captureThread, {
      workerData: options.capture,
      trackUnmanagedFds: false,
      resourceLimits: { maxYoungGenerationSizeMb: CAPTURE_YOUNG_MB },
    })
    this.#capture = new ThreadLink(capture)
    const { rewindThread, rewind, log } = options
    this.rewind = new RewindQueue({
      thread: rewindThread,
      start: rewind,
      capture: this.#capture,
      owners: async () => (await this.#events)?.recent ?? [],
      keys: () => options.keys?.all ?? [],
      log,
    })
    this.#limits = new IndexingLimits({
      isIndexing: () => this.#indexing,
      switchIndexing: async (enabled, code) => {
        if (code !== undefined) await this.#live?.ask('endReason', code)
        await this.#switchIndexing(enabled)
      },
      log,
    })
    this.#faults = new FaultLog(log)
    this.#names = new KnownNames(options.names, log)
    this.#restored = this.#names.restore().then(() => {
      if (!this.#names.isEmpty) this.rewind.setInventory(this.#names.inventory)
    })
    capture.on('message', (answer: ThreadAnswer) => this.#capture.receive(answer))
    capture.on('error', (error) => options.log.error({ err: error }, 'The capture thread failed'))
    capture.on('exit', () => {
      this.#capture.end('The capture thread has ended')
      if (!this.#stopping) options.captureEnded()
    })
  }

  /** Events of processes. Throws if they are not recorded. */
  async events(): Promise<OsEvents> {
    const events = await this.#events
    if (events) return events
    throw new Problem(409, 'events_off', this.#noEvents)
  }

  /** The pod that has this address now. */
  podAt(ip: string): PodName | undefined {
    return this.#names.podAt(ip)
  }

  get keys(): NodeKeys | undefined {
    return this.#options.keys
  }

  get capture(): Thread<CaptureRequests> {
    return this.#capture
  }

  async setIndexing(enabled: boolean): Promise<void> {
    if (this.#limits.allows(enabled)) await this.#switchIndexing(enabled)
  }

  async #switchIndexing(enabled: boolean): Promise<void> {
    void this.#events.then((events) => events?.setLive(enabled))
    const was = this.#indexing
    this.#indexing = enabled
    if (enabled) {
      // Connect first: packets that the live thread cannot take yet would count as missed, although the backfill indexes them.
      this.#live ??= this.#startLive()
      await this.#joined
      if (!this.#indexing) return
    }
    await this.#capture.ask('indexing', enabled)
    if (!enabled && !this.#live) return
    try {
      await this.live.ask('indexing', enabled)
      if (enabled && !was) void this.#backfill(++this.#periods)
    } catch (error) {
      this.#indexing = false
      if (enabled) await this.#capture.ask('indexing', false)
      throw error
    }
  }

  async setTargets(targets: TargetOptions): Promise<void> {
    this.#targets = targets
    await this.#live?.ask('targets', targets)
  }

  async setCredentialKey(key: string): Promise<void> {
    this.#credentialKey = key
    this.rewind.setCredentialKey(key)
    await this.#live?.ask('credentialKey', key)
  }

  async setInventory(inventory: unknown): Promise<void> {
    const put = [...entriesOf(parseInventory(inventory))]
    await this.applyNames({ reset: true, put, drop: [] }, false)
  }

  async applyNames(value: unknown, more: boolean): Promise<void> {
    await this.#restored
    const delta = this.#names.apply(value, more)
    if (delta === undefined) return
    this.rewind.setInventory(this.#names.inventory)
    await this.#live?.ask('names', delta)
  }

  /** New TLS secrets. */
  learnKeys(secrets: readonly StoredSecret[]): void {
    this.rewind.learnKeys(secrets)
    void this.#live?.ask('keys', secrets).catch(() => {})
  }

  /** All TLS secrets up to this time (Unix milliseconds) were passed to `learnKeys`. */
  keysCaughtUp(readUntil: number): void {
    if (this.#indexing) void this.#live?.ask('keysCaughtUp', readUntil).catch(() => {})
  }

  async forgetSubscriptions(): Promise<void> {
    await this.#live?.ask('unsubscribe', {}).catch(() => {})
  }

  async report(): Promise<WorkerReport> {
    await this.#limits.check()
    const [capture, live] = await Promise.all([
      this.#capture.ask('status', undefined),
      this.#live
        ?.ask('status', { since: this.#recordedSince, until: this.#captured })
        .catch((): LiveStatus => idleStatus) ?? idleStatus,
    ])
    this.#recordedSince = capture.boundaries.oldest_ts
    this.#captured = capture.captured_until
    const events = await this.#events
    if (this.#recordedSince !== null) events?.forgetBefore(this.#recordedSince)
    const coverage = { recorded: capture.coverage, indexed: live.coverage ?? this.#indexed }
    const { reason } = this.#limits
    const indexer = reason === undefined ? {} : { indexer: { paused: true as const, reason } }
    const { keys } = this.#options
    const report: WorkerReport = {
      ...workerReport(capture, live),
      coverage,
      ...indexer,
      ...(keys && { tls_keys: keys.report }),
    }
    if (!events) return report
    const { status } = events
    const loss = status.refused > 0 ? { ...report.loss, refused_events: status.refused } : report.loss
    return { ...report, loss, events: status }
  }

  /** Stops all threads, after all captured packets are on disk. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.rewind.stop()
    await this.#names.close()
    ;(await this.#events)?.close()
    await this.#capture.ask('stop', undefined).catch(() => {})
    await this.#live?.ask('stop', undefined).catch(() => {})
  }

  /** Runs in the background: live packets have priority. */
  async #backfill(period: number): Promise<void> {
    const { backfill, log } = this.#options
    if (backfill === 0) return
    // Live indexing has seen the first packets of this period by then.
    await sleep(BACKFILL_AFTER_MS)
    if (!this.#indexing || period !== this.#periods || this.#stopping) return
    const now = Date.now()
    const since = now - backfill
    let parts: readonly WindowPart[] = []
    try {
      const from = await this.live.ask('plan', since)
      if (from === undefined) return
      const held = await this.#capture.ask('hold', { start: from - BACKFILL_LEAD_MS, end: now })
      parts = held.parts
      const { coverage } = await this.#capture.ask('status', undefined)
      const missing = unrecorded(coverage)
      log.info({ since: new Date(from).toISOString() }, 'Backfill started: indexing recorded packets')
      const done = await this.live.ask('backfill', { held, since, unrecorded: missing })
      if (done) log.info({ calls: done.calls, packets: done.packets }, 'Backfill finished')
    } catch (error) {
      if (!this.#stopping)
        log.warn({ err: error }, 'Backfill failed; earlier calls are missing from the live index')
    } finally {
      await Promise.all(parts.map(({ fd }) => closeFile(fd).catch(() => {})))
    }
  }

  #startLive(): ThreadLink<LiveRequests> {
    const { liveThread, live: workerData, log } = this.#options
    const thread = new Worker(liveThread, {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: LIVE_YOUNG_MB },
    })
    const link = new ThreadLink<LiveRequests>(thread)
    thread.on('message', (message: ThreadAnswer | LiveNotification) => {
      if ('kind' in message) this.#receive(message)
      else link.receive(message)
    })
    thread.on('error', (error) => log.error({ err: error }, 'The live thread failed'))
    thread.on('exit', (code) => {
      link.end('Live indexing is being restarted. Retry in a few seconds.')
      if (this.#stopping) return
      log.error({ code }, 'The live thread ended and will be restarted; recording goes on')
      void this.#restartLive()
    })
    const { port1, port2 } = new MessageChannel()
    this.#joined = this.#join(link, port1, port2)
    return link
  }

  async #join(link: ThreadLink<LiveRequests>, toLive: MessagePort, fromCapture: MessagePort): Promise<void> {
    const { log } = this.#options
    try {
      if (this.#credentialKey !== undefined) await link.ask('credentialKey', this.#credentialKey)
      if (this.#targets) await link.ask('targets', this.#targets)
      await this.#restored
      if (!this.#names.isEmpty)
        await link
          .ask('names', this.#names.all)
          .catch((error) =>
            log.warn({ err: error }, 'The live thread rejected the names; new calls have no names'),
          )
      await link.ask('owners', [...((await this.#events)?.recent ?? [])])
      await link.ask('keys', this.#options.keys?.all ?? [])
      await link.ask('connect', fromCapture, [fromCapture])
      await this.#capture.ask('connect', toLive, [toLive])
    } catch (error) {
      if (!this.#stopping)
        log.error(
          { err: error },
          'Connecting the capture thread and the live thread failed; calls are not indexed',
        )
    }
  }

  async #openEvents(): Promise<OsEvents | undefined> {
    const { events, log } = this.#options
    if (!events) return undefined
    try {
      const redactor = await loadRedactor(this.#options.live.redaction)
      const opened = await OsEvents.open({
        ...events,
        shownArgument: redactor && ((argument) => redactor.argument(argument)),
        owned: (owned) => {
          this.rewind.learnOwners(owned)
          void this.#live?.ask('owners', owned).catch(() => {})
        },
      })
      if (opened.reason !== undefined) log.warn(opened.reason)
      return opened
    } catch (error) {
      this.#noEvents = `Process events cannot be recorded: ${error instanceof Error ? error.message : error}`
      log.warn(this.#noEvents)
      return undefined
    }
  }

  async #restartLive(): Promise<void> {
    await sleep(RESTART_MS)
    if (this.#stopping) return
    this.#live = this.#startLive()
    this.#options.liveRestarted()
    if (!this.#indexing) return
    try {
      await this.live.ask('indexing', true)
      void this.#backfill(++this.#periods)
    } catch (error) {
      if (!this.#stopping)
        this.#options.log.warn(
          { err: error },
          'Indexing could not be resumed after the restart of the live thread',
        )
    }
  }

  #receive(notification: LiveNotification): void {
    if (notification.kind === 'calls') {
      this.#options.calls(notification)
      return
    }
    this.#faults.write(notification.what, notification.detail)
  }
}

/** Times without recorded packets, oldest first. */
function unrecorded({ until, off, forgotten, gaps }: CoverageState): BackfillInput['unrecorded'] {
  return [
    ...(forgotten === undefined ? [] : [{ from: 0, to: forgotten }]),
    ...gaps,
    ...(off ? [{ from: until, to: Number.POSITIVE_INFINITY }] : []),
  ]
}
