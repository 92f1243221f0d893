import { close } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { Problem, type WorkerReport } from '@tapdeck/api'
import type { WindowPart } from '@tapdeck/recording'
import type { CaptureRequests, CaptureStart, CaptureStatus } from '../capture/capture-message.ts'
import type { LiveNews, LiveRequests, LiveStart, LiveStatus } from '../live/live-message.ts'
import { loadRedactor } from '../load-redactor.ts'
import type { Log } from '../log.ts'
import { OsEvents, type OsEventsOptions } from '../os/os-events.ts'
import type { Parts, Thread } from '../parts.ts'
import { RewindDesk } from '../rewind/rewind-desk.ts'
import type { RewindStart } from '../rewind/rewind-message.ts'
import type { ThreadAnswer } from './serve-requests.ts'
import { ThreadLink } from './thread-link.ts'

const closeFile = promisify(close)
const RESTART_MS = 1000
const BACKFILL_AFTER_MS = 1000
const BACKFILL_LEAD_MS = 60_000
/** Of the capture thread, which makes little garbage: room for more of it would only be touched and stay. */
const CAPTURE_YOUNG_MB = 2
/** Of the live thread: with many connections open, a larger young generation spares most of the collector's work. */
const YOUNG_MB = 64
/** Lines about faults of the live thread that are logged a minute. */
const FAULTS_A_MINUTE = 10

export interface WorkerThreadsOptions {
  readonly captureThread: URL
  readonly liveThread: URL
  readonly rewindThread: URL
  readonly capture: CaptureStart
  readonly live: LiveStart
  readonly rewind: RewindStart
  /** Milliseconds of the recording that are indexed when indexing is turned on; 0: none. */
  readonly backfill: number
  /** Where the events of processes go; absent: they are not recorded. */
  readonly events?: Omit<OsEventsOptions, 'owned' | 'shownArgument'>
  readonly log: Log
  /** A `calls` message for the hub, JSON already. */
  calls(text: string): void
  /** The live thread is a new one and knows no subscriptions. */
  liveRestarted(): void
  /** The capture thread ended by itself; without it there is no worker. */
  captureEnded(): void
}

/**
 * The capture thread, and the live thread: started when it is first needed, since a dormant node pays nothing for it,
 * and again should it end, since recording never waits for it.
 */
export class WorkerThreads implements Parts {
  readonly live: Thread<LiveRequests> = {
    ask: (name, input) => {
      this.#live ??= this.#startLive()
      return this.#live.ask(name, input)
    },
  }
  readonly rewind: RewindDesk
  readonly #options: WorkerThreadsOptions
  readonly #events: Promise<OsEvents | undefined>
  readonly #capture: ThreadLink<CaptureRequests>
  #live: ThreadLink<LiveRequests> | undefined
  /** It and the capture thread know each other. */
  #joined: Promise<void> = Promise.resolve()
  #inventory: unknown
  #noEvents = 'the recording of what processes do is turned off'
  #stopping = false
  #indexing = false
  /** How often indexing was turned on. */
  #periods = 0
  #faults = 0
  #faultsSince = 0
  #recordedSince: number | null | undefined

  constructor(options: WorkerThreadsOptions) {
    this.#options = options
    this.#events = this.#openEvents()
    // The segments that it opens for a window are closed by whoever reads them, in this thread.
    const capture = new Worker(options.captureThread, {
      workerData: options.capture,
      trackUnmanagedFds: false,
      resourceLimits: { maxYoungGenerationSizeMb: CAPTURE_YOUNG_MB },
    })
    this.#capture = new ThreadLink(capture)
    const { rewindThread, rewind, log } = options
    this.rewind = new RewindDesk({
      thread: rewindThread,
      start: rewind,
      capture: this.#capture,
      owners: async () => (await this.#events)?.recent ?? [],
      log,
    })
    capture.on('message', (answer: ThreadAnswer) => this.#capture.receive(answer))
    capture.on('error', (error) => options.log.error({ err: error }, 'the capture thread failed'))
    capture.on('exit', () => {
      this.#capture.end('the capture thread has ended')
      if (!this.#stopping) options.captureEnded()
    })
  }

  /** What processes do. Throws where that is not recorded. */
  async events(): Promise<OsEvents> {
    const events = await this.#events
    if (events) return events
    throw new Problem(409, 'events_off', this.#noEvents)
  }

  get capture(): Thread<CaptureRequests> {
    return this.#capture
  }

  async setIndexing(enabled: boolean): Promise<void> {
    void this.#events.then((events) => events?.setLive(enabled))
    const was = this.#indexing
    this.#indexing = enabled
    if (enabled) {
      // Whatever is captured before the live thread can take it would count as missed, though it is indexed as what was before.
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

  async setInventory(inventory: unknown): Promise<void> {
    this.#inventory = inventory
    this.rewind.setInventory(inventory)
    await this.#live?.ask('inventory', inventory)
  }

  async forgetSubscriptions(): Promise<void> {
    await this.#live?.ask('unsubscribe', {}).catch(() => {})
  }

  async report(): Promise<WorkerReport> {
    const [capture, live] = await Promise.all([
      this.#capture.ask('status', undefined),
      this.#live?.ask('status', this.#recordedSince).catch((): LiveStatus => silent) ?? silent,
    ])
    this.#recordedSince = capture.boundaries.oldest_ts
    const events = await this.#events
    if (this.#recordedSince !== null) events?.forgetBefore(this.#recordedSince)
    const report = toReport(capture, live)
    if (!events) return report
    const { status } = events
    const loss = status.refused > 0 ? { ...report.loss, refused_events: status.refused } : report.loss
    return { ...report, loss, events: status }
  }

  /** Ends both, with all that was captured on disk. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.rewind.stop()
    ;(await this.#events)?.close()
    await this.#capture.ask('stop', undefined).catch(() => {})
    await this.#live?.ask('stop', undefined).catch(() => {})
  }

  /** Nobody waits for this: what is new is indexed meanwhile, and goes first. */
  async #backfill(period: number): Promise<void> {
    const { backfill, log } = this.#options
    if (backfill === 0) return
    // By then the first packets of this period are known to live indexing.
    await sleep(BACKFILL_AFTER_MS)
    if (!this.#indexing || period !== this.#periods || this.#stopping) return
    const now = Date.now()
    const since = now - backfill
    let parts: readonly WindowPart[] = []
    try {
      const held = await this.#capture.ask('hold', { start: since - BACKFILL_LEAD_MS, end: now })
      parts = held.parts
      if (parts.length === 0) return
      log.info({ since: new Date(since).toISOString() }, 'indexing what was recorded before')
      const done = await this.live.ask('backfill', { held, since })
      if (done) log.info({ calls: done.calls, packets: done.packets }, 'what was recorded before is indexed')
    } catch (error) {
      if (!this.#stopping) log.warn({ err: error }, 'what was recorded before could not be indexed')
    } finally {
      await Promise.all(parts.map(({ fd }) => closeFile(fd).catch(() => {})))
    }
  }

  #startLive(): ThreadLink<LiveRequests> {
    const { liveThread, live: workerData, log } = this.#options
    const thread = new Worker(liveThread, {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    const link = new ThreadLink<LiveRequests>(thread)
    thread.on('message', (message: ThreadAnswer | LiveNews) => {
      if ('news' in message) this.#hear(message)
      else link.receive(message)
    })
    thread.on('error', (error) => log.error({ err: error }, 'the live thread failed'))
    thread.on('exit', (code) => {
      link.end('live indexing is being restarted')
      if (this.#stopping) return
      log.error({ code }, 'the live thread ended; it is started again, recording goes on')
      void this.#restartLive()
    })
    const { port1, port2 } = new MessageChannel()
    this.#joined = this.#join(link, port1, port2)
    return link
  }

  async #join(link: ThreadLink<LiveRequests>, toLive: MessagePort, fromCapture: MessagePort): Promise<void> {
    const { log } = this.#options
    try {
      if (this.#inventory !== undefined)
        await link
          .ask('inventory', this.#inventory)
          .catch((error) => log.warn({ err: error }, 'names are not taken'))
      await link.ask('owners', [...((await this.#events)?.recent ?? [])])
      await link.ask('connect', fromCapture, [fromCapture])
      await this.#capture.ask('connect', toLive, [toLive])
    } catch (error) {
      if (!this.#stopping) log.error({ err: error }, 'the threads did not find each other')
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
      this.#noEvents = `events cannot be recorded: ${error instanceof Error ? error.message : error}`
      log.warn(this.#noEvents)
      return undefined
    }
  }

  async #restartLive(): Promise<void> {
    await sleep(RESTART_MS)
    if (this.#stopping) return
    this.#live = this.#startLive()
    this.#options.liveRestarted()
  }

  #hear(news: LiveNews): void {
    if (news.news === 'calls') {
      this.#options.calls(news.text)
      return
    }
    const now = performance.now()
    if (now - this.#faultsSince > 60_000) {
      this.#faultsSince = now
      this.#faults = 0
    }
    if (++this.#faults <= FAULTS_A_MINUTE) this.#options.log.error({ detail: news.detail }, news.what)
  }
}

const silent: LiveStatus = { indexing: false, packets: 0, calls: 0, loss: {}, lag: 0, waiting: 0 }

function toReport(capture: CaptureStatus, live: LiveStatus): WorkerReport {
  const { active, interfaces, recording } = capture
  const reason =
    capture.reason ??
    (recording.recording || recording.since === 0 ? undefined : `recording stopped: ${recording.reason}`)
  const loss: Record<string, number> = { ...live.loss }
  for (const [kind, count] of Object.entries(capture.loss)) loss[kind] = (loss[kind] ?? 0) + count
  return {
    indexing: live.indexing,
    capture: { active, interfaces, ...(reason === undefined ? {} : { reason }) },
    recording: capture.boundaries,
    packets_captured: capture.packets,
    packets_dissected: live.packets,
    calls: live.calls,
    ...(live.backfill && { backfill: live.backfill }),
    loss: Object.fromEntries(Object.entries(loss).filter(([, count]) => count > 0)),
    process: { memory_bytes: process.memoryUsage.rss(), cpu_seconds: cpuSeconds() },
    live: { lag_ms: live.lag, waiting_blocks: live.waiting },
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
