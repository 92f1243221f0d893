import { close } from 'node:fs'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { Problem, type WorkerRequests } from '@tapdeck/api'
import type { RecordedEvent } from '@tapdeck/recording'
import type { CaptureRequests } from '../capture/capture-message.ts'
import type { StoredSecret } from '../keys/sealed-key-log.ts'
import type { Log } from '../log.ts'
import type { ThreadAnswer } from '../threads/serve-requests.ts'
import { ThreadLink } from '../threads/thread-link.ts'
import type { Thread } from '../worker-services.ts'
import { fromCursor, queryText } from './rewind-cursor.ts'
import type { HeldWindow, RewindRequests, RewindStart } from './rewind-message.ts'

const closeFile = promisify(close)
/** Queries that may wait while one is running. */
const MAX_WAITING = 4
/** Segments that one answer may read; a longer search continues with its cursor. */
const MAX_SEGMENTS = 256
/** Packets this long before and after the window may belong to its calls. */
const AROUND_MS = 60_000
/** The thread ends after this long without a query, so that a dormant node pays nothing for it. */
const IDLE_MS = 30_000
/** The thread is terminated if a query exceeds its time budget by this much. */
const OVERDUE_MS = 20_000
const HEAP_MB = 1024

export interface RewindQueueOptions {
  readonly thread: URL
  readonly start: RewindStart
  readonly capture: Thread<CaptureRequests>
  /** Events so far that name the process of a connection. */
  readonly owners?: () => Promise<readonly RecordedEvent[]>
  /** TLS secrets so far. */
  readonly keys?: () => readonly StoredSecret[]
  readonly log: Log
}

interface Running {
  readonly thread: Worker
  readonly link: ThreadLink<RewindRequests>
}

/** Runs queries on the recording one at a time, in a separate thread. */
export class RewindQueue {
  readonly #options: RewindQueueOptions
  #running: Running | undefined
  #inventory: unknown
  #credentialKey: string | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #idle: NodeJS.Timeout | undefined

  constructor(options: RewindQueueOptions) {
    this.#options = options
  }

  setInventory(inventory: unknown): void {
    this.#inventory = inventory
    void this.#running?.link.ask('inventory', inventory).catch(() => {})
  }

  /** The key, in hexadecimal, that credentials are hashed with from now on. */
  setCredentialKey(key: string): void {
    this.#credentialKey = key
    void this.#running?.link.ask('credentialKey', key).catch(() => {})
  }

  /** New events name the processes of connections. */
  learnOwners(events: readonly RecordedEvent[]): void {
    void this.#running?.link.ask('owners', events).catch(() => {})
  }

  learnKeys(secrets: readonly StoredSecret[]): void {
    void this.#running?.link.ask('keys', secrets).catch(() => {})
  }

  /** Answers are JSON text. */
  calls(query: WorkerRequests['rewind']['input'], signal?: AbortSignal): Promise<string> {
    const { start, end } = remainingWindow(query)
    return this.#enqueue(start, end, signal, (held, link) =>
      link.ask('calls', { held: firstSegments(held, query.order), query }),
    )
  }

  call(query: WorkerRequests['rewind_call']['input'], signal?: AbortSignal): Promise<string> {
    const { start = 0, end = Number.MAX_SAFE_INTEGER / 1000 - AROUND_MS } = query
    return this.#enqueue(start, end, signal, (held, link) =>
      link.ask('call', { held: firstSegments(held, 'newest'), query }),
    )
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#running?.thread.terminate()
  }

  #enqueue(
    start: number,
    end: number,
    signal: AbortSignal | undefined,
    ask: (held: HeldWindow, link: ThreadLink<RewindRequests>) => Promise<string>,
  ): Promise<string> {
    if (this.#waiting > MAX_WAITING)
      throw new Problem(503, 'rewind_busy', `Too many queued queries to the recording (max ${MAX_WAITING})`, {
        hint: 'Retry in a few seconds, with a narrower window or filter.',
      })
    this.#waiting++
    clearTimeout(this.#idle)
    const answer = this.#last
      .catch(() => {})
      .then(() => this.#run(start, end, signal, ask))
      .finally(() => {
        if (--this.#waiting === 0) this.#idle = setTimeout(() => this.#terminate(), IDLE_MS).unref()
      })
    this.#last = answer
    return answer
  }

  /** Terminates the thread; the next query starts a new one. */
  #terminate(): void {
    const running = this.#running
    this.#running = undefined
    void running?.thread.terminate()
  }

  async #run(
    start: number,
    end: number,
    signal: AbortSignal | undefined,
    ask: (held: HeldWindow, link: ThreadLink<RewindRequests>) => Promise<string>,
  ): Promise<string> {
    const { capture, start: settings } = this.#options
    if (signal?.aborted) throw new Problem(409, 'cancelled', 'The request was cancelled')
    const owners = this.#running ? [] : ((await this.#options.owners?.()) ?? [])
    const held = await capture.ask('hold', { start: start - AROUND_MS, end: end + AROUND_MS })
    this.#running ??= this.#startThread()
    const { link } = this.#running
    if (owners.length > 0) void link.ask('owners', [...owners]).catch(() => {})
    const terminate = () => this.#terminate()
    const overdue = setTimeout(terminate, settings.budget.time + OVERDUE_MS)
    signal?.addEventListener('abort', terminate)
    try {
      return await ask(held, link)
    } finally {
      clearTimeout(overdue)
      signal?.removeEventListener('abort', terminate)
      // Also if the thread is gone: the capture thread opened the files for it.
      await Promise.all(held.parts.map(({ fd }) => closeFile(fd).catch(() => {})))
    }
  }

  #startThread(): Running {
    const { thread: url, start, log } = this.#options
    const thread = new Worker(url, {
      workerData: start,
      trackUnmanagedFds: false,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    const link = new ThreadLink<RewindRequests>(thread)
    thread.on('message', (answer: ThreadAnswer) => link.receive(answer))
    thread.on('error', (error) => log.error({ err: error }, 'The rewind thread failed'))
    thread.on('exit', () => {
      link.end('The search of the recording was aborted')
      if (this.#running?.thread === thread) this.#running = undefined
    })
    if (this.#credentialKey !== undefined) void link.ask('credentialKey', this.#credentialKey).catch(() => {})
    if (this.#inventory !== undefined)
      link
        .ask('inventory', this.#inventory)
        .catch((error) =>
          log.warn({ err: error }, 'The rewind thread rejected the inventory; its calls have no names'),
        )
    const keys = this.#options.keys?.() ?? []
    if (keys.length > 0) void link.ask('keys', keys).catch(() => {})
    return { thread, link }
  }
}

/** The segments that are searched first. The others stay open until the answer is complete, but are not read. */
function firstSegments({ parts, oldest }: HeldWindow, order: 'newest' | 'oldest'): HeldWindow {
  if (parts.length <= MAX_SEGMENTS) return { parts, oldest }
  if (order === 'oldest') {
    const first = parts.slice(0, MAX_SEGMENTS)
    return { parts: first, oldest, edge: first.at(-1)!.end }
  }
  const last = parts.slice(-MAX_SEGMENTS)
  return { parts: last, oldest, edge: last[0]!.start }
}

/** The part of the window that earlier pages have not searched. Milliseconds. */
function remainingWindow(query: WorkerRequests['rewind']['input']): { start: number; end: number } {
  if (query.cursor === undefined) return { start: query.start, end: query.end }
  const { from, to, at } = fromCursor(query.cursor, queryText(query))
  const newest = query.order === 'newest'
  return { start: Math.floor((newest ? from : at) / 1000), end: Math.ceil((newest ? at : to) / 1000) }
}
