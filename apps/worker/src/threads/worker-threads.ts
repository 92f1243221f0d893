import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { WorkerReport } from '@tapdeck/api'
import type { CaptureRequests, CaptureStart, CaptureStatus } from '../capture/capture-message.ts'
import type { LiveNews, LiveRequests, LiveStart, LiveStatus } from '../live/live-message.ts'
import type { Log } from '../log.ts'
import type { Parts, Thread } from '../parts.ts'
import type { ThreadAnswer } from './serve-requests.ts'
import { ThreadLink } from './thread-link.ts'

const RESTART_MS = 1000
/** Of the live thread: with many connections open, a larger young generation spares most of the collector's work. */
const YOUNG_MB = 64
/** Lines about faults of the live thread that are logged a minute. */
const FAULTS_A_MINUTE = 10

export interface WorkerThreadsOptions {
  readonly captureThread: URL
  readonly liveThread: URL
  readonly capture: CaptureStart
  readonly live: LiveStart
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
  readonly #options: WorkerThreadsOptions
  readonly #capture: ThreadLink<CaptureRequests>
  #live: ThreadLink<LiveRequests> | undefined
  #inventory: unknown
  #stopping = false
  #faults = 0
  #faultsSince = 0

  constructor(options: WorkerThreadsOptions) {
    this.#options = options
    // The segments that it opens for a window are closed by whoever reads them, in this thread.
    const capture = new Worker(options.captureThread, {
      workerData: options.capture,
      trackUnmanagedFds: false,
    })
    this.#capture = new ThreadLink(capture)
    capture.on('message', (answer: ThreadAnswer) => this.#capture.receive(answer))
    capture.on('error', (error) => options.log.error({ err: error }, 'the capture thread failed'))
    capture.on('exit', () => {
      this.#capture.end('the capture thread has ended')
      if (!this.#stopping) options.captureEnded()
    })
  }

  get capture(): Thread<CaptureRequests> {
    return this.#capture
  }

  async setIndexing(enabled: boolean): Promise<void> {
    await this.#capture.ask('indexing', enabled)
    if (!enabled && !this.#live) return
    try {
      await this.live.ask('indexing', enabled)
    } catch (error) {
      if (enabled) await this.#capture.ask('indexing', false)
      throw error
    }
  }

  async setInventory(inventory: unknown): Promise<void> {
    this.#inventory = inventory
    await this.#live?.ask('inventory', inventory)
  }

  async forgetSubscriptions(): Promise<void> {
    await this.#live?.ask('unsubscribe', {}).catch(() => {})
  }

  async report(): Promise<WorkerReport> {
    const [capture, live] = await Promise.all([
      this.#capture.ask('status', undefined),
      this.#live?.ask('status', undefined).catch((): LiveStatus => silent) ?? silent,
    ])
    return toReport(capture, live)
  }

  /** Ends both, with all that was captured on disk. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#capture.ask('stop', undefined).catch(() => {})
    await this.#live?.ask('stop', undefined).catch(() => {})
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
    void this.#join(link, port1, port2)
    return link
  }

  async #join(link: ThreadLink<LiveRequests>, toLive: MessagePort, fromCapture: MessagePort): Promise<void> {
    const { log } = this.#options
    try {
      if (this.#inventory !== undefined)
        await link
          .ask('inventory', this.#inventory)
          .catch((error) => log.warn({ err: error }, 'names are not taken'))
      await link.ask('connect', fromCapture, [fromCapture])
      await this.#capture.ask('connect', toLive, [toLive])
    } catch (error) {
      if (!this.#stopping) log.error({ err: error }, 'the threads did not find each other')
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

const silent: LiveStatus = { indexing: false, packets: 0, calls: 0, loss: {} }

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
    loss: Object.fromEntries(Object.entries(loss).filter(([, count]) => count > 0)),
  }
}
