import { close } from 'node:fs'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { Problem, type WorkerRequests } from '@tapdeck/api'
import type { RecordedEvent } from '@tapdeck/recording'
import type { CaptureRequests } from '../capture/capture-message.ts'
import type { Log } from '../log.ts'
import type { Thread } from '../parts.ts'
import type { ThreadAnswer } from '../threads/serve-requests.ts'
import { ThreadLink } from '../threads/thread-link.ts'
import { fromCursor, queryText } from './rewind-cursor.ts'
import type { Held, RewindRequests, RewindStart } from './rewind-message.ts'

const closeFile = promisify(close)
/** Questions that may wait while one is answered. */
const MOST_WAITING = 4
/** Segments that one answer is made of; a longer search goes on by its cursor. */
const MOST_PARTS = 256
/** Packets before and after the window that may belong to its calls. */
const AROUND_MS = 60_000
/** A thread that nobody asked for so long ends: a dormant node pays nothing for it. */
const IDLE_MS = 30_000
/** Beyond its budget, an answer that is still not there is given up together with its thread. */
const OVERDUE_MS = 20_000
const HEAP_MB = 1024

export interface RewindDeskOptions {
  readonly thread: URL
  readonly start: RewindStart
  readonly capture: Thread<CaptureRequests>
  /** Which process owns which connection, as far as events told it until now. */
  readonly owners?: () => Promise<readonly RecordedEvent[]>
  readonly log: Log
}

interface Running {
  readonly thread: Worker
  readonly link: ThreadLink<RewindRequests>
}

/** Takes questions about the recording, one at a time, to a thread of their own. */
export class RewindDesk {
  readonly #options: RewindDeskOptions
  #running: Running | undefined
  #inventory: unknown
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #idle: NodeJS.Timeout | undefined

  constructor(options: RewindDeskOptions) {
    this.#options = options
  }

  setInventory(inventory: unknown): void {
    this.#inventory = inventory
    void this.#running?.link.ask('inventory', inventory).catch(() => {})
  }

  /** Which process owns a connection became known. */
  learnOwners(events: readonly RecordedEvent[]): void {
    void this.#running?.link.ask('owners', events).catch(() => {})
  }

  /** The answers are JSON already. */
  calls(query: WorkerRequests['rewind']['input'], signal?: AbortSignal): Promise<string> {
    const { start, end } = stillToSearch(query)
    return this.#turn(start, end, signal, (held, link) =>
      link.ask('calls', { held: searchedFirst(held, query.order), query }),
    )
  }

  call(query: WorkerRequests['rewind_call']['input'], signal?: AbortSignal): Promise<string> {
    const { start = 0, end = Number.MAX_SAFE_INTEGER / 1000 - AROUND_MS } = query
    return this.#turn(start, end, signal, (held, link) =>
      link.ask('call', { held: searchedFirst(held, 'newest'), query }),
    )
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#running?.thread.terminate()
  }

  #turn(
    start: number,
    end: number,
    signal: AbortSignal | undefined,
    ask: (held: Held, link: ThreadLink<RewindRequests>) => Promise<string>,
  ): Promise<string> {
    if (this.#waiting > MOST_WAITING)
      throw new Problem(503, 'rewind_busy', `${MOST_WAITING} questions about the recording wait already`, {
        hint: 'Ask again in a few seconds, with a narrower window or filter.',
      })
    this.#waiting++
    clearTimeout(this.#idle)
    const turn = this.#last
      .catch(() => {})
      .then(() => this.#answer(start, end, signal, ask))
      .finally(() => {
        if (--this.#waiting === 0) this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
      })
    this.#last = turn
    return turn
  }

  /** The next question has a thread of its own. */
  #end(): void {
    const running = this.#running
    this.#running = undefined
    void running?.thread.terminate()
  }

  async #answer(
    start: number,
    end: number,
    signal: AbortSignal | undefined,
    ask: (held: Held, link: ThreadLink<RewindRequests>) => Promise<string>,
  ): Promise<string> {
    const { capture, start: settings } = this.#options
    if (signal?.aborted) throw new Problem(409, 'cancelled', 'nobody waits for the answer any more')
    const owners = this.#running ? [] : ((await this.#options.owners?.()) ?? [])
    const held = await capture.ask('hold', { start: start - AROUND_MS, end: end + AROUND_MS })
    this.#running ??= this.#begin()
    const { link } = this.#running
    if (owners.length > 0) void link.ask('owners', [...owners]).catch(() => {})
    const giveUp = () => this.#end()
    const overdue = setTimeout(giveUp, settings.budget.time + OVERDUE_MS)
    signal?.addEventListener('abort', giveUp)
    try {
      return await ask(held, link)
    } finally {
      clearTimeout(overdue)
      signal?.removeEventListener('abort', giveUp)
      // Also where the thread is gone: the files were opened for it by another.
      await Promise.all(held.parts.map(({ fd }) => closeFile(fd).catch(() => {})))
    }
  }

  #begin(): Running {
    const { thread: url, start, log } = this.#options
    const thread = new Worker(url, {
      workerData: start,
      trackUnmanagedFds: false,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    const link = new ThreadLink<RewindRequests>(thread)
    thread.on('message', (answer: ThreadAnswer) => link.receive(answer))
    thread.on('error', (error) => log.error({ err: error }, 'the rewind thread failed'))
    thread.on('exit', () => {
      link.end('the search of the recording was given up')
      if (this.#running?.thread === thread) this.#running = undefined
    })
    if (this.#inventory !== undefined)
      link
        .ask('inventory', this.#inventory)
        .catch((error) => log.warn({ err: error }, 'names are not taken for the recording'))
    return { thread, link }
  }
}

/** Those that are searched first. The others stay open until the answer is there, and are left alone. */
function searchedFirst({ parts, oldest }: Held, order: 'newest' | 'oldest'): Held {
  if (parts.length <= MOST_PARTS) return { parts, oldest }
  if (order === 'oldest') {
    const first = parts.slice(0, MOST_PARTS)
    return { parts: first, oldest, edge: first.at(-1)!.end }
  }
  const last = parts.slice(-MOST_PARTS)
  return { parts: last, oldest, edge: last[0]!.start }
}

/** A page that goes on needs nothing of what was searched before. Milliseconds. */
function stillToSearch(query: WorkerRequests['rewind']['input']): { start: number; end: number } {
  if (query.cursor === undefined) return { start: query.start, end: query.end }
  const { from, to, at } = fromCursor(query.cursor, queryText(query))
  const newest = query.order === 'newest'
  return { start: Math.floor((newest ? from : at) / 1000), end: Math.ceil((newest ? at : to) / 1000) }
}
