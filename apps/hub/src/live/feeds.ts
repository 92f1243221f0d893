import type { CompactCall } from '@tapdeck/dissect'
import type { Worker } from '../cluster/worker.ts'
import type { Workers } from '../cluster/workers.ts'
import type { Log } from '../log.ts'

/** Calls of one filter, collected for a moment. Their JSON is made once, however many readers send it on. */
export interface Batch {
  readonly json: string
  readonly calls: readonly CompactCall[]
  readonly count: number
  /** Matching calls that are not in it. */
  readonly skipped: number
}

export type Reader = (batch: Batch) => void

interface Feed {
  readonly subscription: number
  readonly kfl: string
  readonly readers: Set<Reader>
  calls: CompactCall[]
  skipped: number
  timer: NodeJS.Timeout | undefined
}

const COLLECT_MS = 50
const MOST_CALLS = 1000

/** Live calls by filter. Readers of one filter share one subscription to each worker, whatever their number. */
export class Feeds {
  readonly #workers: Workers
  readonly #log: Log
  readonly #byFilter = new Map<string, Feed>()
  readonly #bySubscription = new Map<number, Feed>()
  #lastSubscription = 0

  constructor(workers: Workers, log: Log) {
    this.#workers = workers
    this.#log = log
    workers.on('join', (worker) => {
      for (const feed of this.#byFilter.values()) this.#subscribe(worker, feed)
    })
    workers.on('calls', (_, { subscription, calls, skipped }) => {
      const feed = this.#bySubscription.get(subscription)
      if (feed) this.#collect(feed, calls, skipped)
    })
  }

  get size(): number {
    return this.#byFilter.size
  }

  /** The filter must have been checked. */
  read(kfl: string, reader: Reader): void {
    let feed = this.#byFilter.get(kfl)
    if (feed === undefined) {
      feed = {
        subscription: ++this.#lastSubscription,
        kfl,
        readers: new Set(),
        calls: [],
        skipped: 0,
        timer: undefined,
      }
      this.#byFilter.set(kfl, feed)
      this.#bySubscription.set(feed.subscription, feed)
      for (const worker of this.#workers.connected) this.#subscribe(worker, feed)
    }
    feed.readers.add(reader)
  }

  leave(kfl: string, reader: Reader): void {
    const feed = this.#byFilter.get(kfl)
    if (!feed?.readers.delete(reader) || feed.readers.size > 0) return
    clearTimeout(feed.timer)
    this.#byFilter.delete(kfl)
    this.#bySubscription.delete(feed.subscription)
    for (const worker of this.#workers.connected)
      worker.ask('unsubscribe', { subscription: feed.subscription }).catch(() => {})
  }

  #subscribe(worker: Worker, { subscription, kfl }: Feed): void {
    worker.ask('subscribe', { subscription, kfl }).catch((error: Error) => {
      if (!worker.gone)
        this.#log.warn({ node: worker.node, detail: error.message }, 'a worker gives no calls')
    })
  }

  #collect(feed: Feed, calls: readonly CompactCall[], skipped: number): void {
    const room = MOST_CALLS - feed.calls.length
    for (const call of calls.slice(0, room)) feed.calls.push(call)
    feed.skipped += skipped + Math.max(0, calls.length - room)
    feed.timer ??= setTimeout(() => this.#deliver(feed), COLLECT_MS)
  }

  #deliver(feed: Feed): void {
    const { calls, skipped } = feed
    let text: string | undefined
    const batch: Batch = {
      calls,
      count: calls.length,
      skipped,
      get json() {
        text ??= JSON.stringify(calls)
        return text
      },
    }
    feed.timer = undefined
    feed.calls = []
    feed.skipped = 0
    for (const reader of [...feed.readers]) reader(batch)
  }
}
