import { type LiveCall, SkippedCalls, type SkippedSpan } from '@tapdeck/api'
import { reportedCalls } from '@tapdeck/questions'
import type { Worker } from '../cluster/worker.ts'
import type { Workers } from '../cluster/workers.ts'
import type { Log } from '../log.ts'

/**
 * Calls of one filter, collected for a moment, and matching calls that are not in it. The JSON is made once, however many
 * readers send it on.
 */
export interface Batch extends SkippedSpan {
  readonly json: string
  readonly calls: readonly LiveCall[]
  readonly count: number
}

export type Reader = (batch: Batch) => void

interface Feed {
  readonly subscription: number
  readonly kfl: string
  readonly traces: boolean
  readonly readers: Set<Reader>
  /** In the order they came, of each node at most `MAX_CALLS`. */
  calls: { readonly node: string; readonly call: LiveCall }[]
  /** How many of them are of which node. */
  ofNode: Map<string, number>
  readonly skipped: SkippedCalls
  timer: NodeJS.Timeout | undefined
}

const COLLECT_MS = 50
const MAX_CALLS = 1000

/** Live calls by filter. Readers of one filter share one subscription to each worker, whatever their number. */
export class LiveSubscriptions {
  readonly #workers: Workers
  readonly #log: Log
  readonly #isSettled: (nodes: readonly string[]) => boolean
  readonly #byFilter = new Map<string, Feed>()
  readonly #bySubscription = new Map<number, Feed>()
  #lastSubscription = 0

  /** `isSettled`: see `Ownership` of the index. */
  constructor(workers: Workers, log: Log, isSettled: (nodes: readonly string[]) => boolean = () => false) {
    this.#workers = workers
    this.#isSettled = isSettled
    this.#log = log
    workers.on('join', (worker) => {
      for (const feed of this.#byFilter.values()) this.#subscribe(worker, feed)
    })
    workers.on('calls', ({ node }, { subscription, calls, kind: _, ...skipped }) => {
      const feed = this.#bySubscription.get(subscription)
      if (feed) this.#collect(feed, node, this.#owned(node, calls), skipped)
    })
  }

  get size(): number {
    return this.#byFilter.size
  }

  /** The filter must have been checked. `traces`: calls carry the trace that their headers name. */
  read(kfl: string, reader: Reader, traces = false): void {
    const key = keyOf(kfl, traces)
    let feed = this.#byFilter.get(key)
    if (feed === undefined) {
      feed = {
        subscription: ++this.#lastSubscription,
        kfl,
        traces,
        readers: new Set(),
        calls: [],
        ofNode: new Map(),
        skipped: new SkippedCalls(),
        timer: undefined,
      }
      this.#byFilter.set(key, feed)
      this.#bySubscription.set(feed.subscription, feed)
      for (const worker of this.#workers.connected) this.#subscribe(worker, feed)
    }
    feed.readers.add(reader)
  }

  leave(kfl: string, reader: Reader, traces = false): void {
    const key = keyOf(kfl, traces)
    const feed = this.#byFilter.get(key)
    if (!feed?.readers.delete(reader) || feed.readers.size > 0) return
    clearTimeout(feed.timer)
    this.#byFilter.delete(key)
    this.#bySubscription.delete(feed.subscription)
    for (const worker of this.#workers.connected)
      worker.ask('unsubscribe', { subscription: feed.subscription }).catch(() => {})
  }

  #subscribe(worker: Worker, { subscription, kfl, traces }: Feed): void {
    worker.ask('subscribe', { subscription, kfl, ...(traces && { traces }) }).catch((error: Error) => {
      if (!worker.gone)
        this.#log.warn(
          { node: worker.node, detail: error.message },
          'cannot subscribe to the calls of a worker',
        )
    })
  }

  /** The calls that this node reports, of those that other nodes have seen too: see `Ownership` of the index. */
  #owned(node: string, calls: readonly LiveCall[]): readonly LiveCall[] {
    const nodes = this.#workers.connected.flatMap((worker) => (worker.report.indexing ? [worker.node] : []))
    if (!nodes.some((other) => other !== node)) return calls
    return calls.filter(reportedCalls({ node, nodes, settled: this.#isSettled(nodes) }))
  }

  #collect(feed: Feed, node: string, calls: readonly LiveCall[], skipped: SkippedSpan): void {
    const before = feed.ofNode.get(node) ?? 0
    const taken = calls.slice(0, MAX_CALLS - before)
    for (const call of taken) feed.calls.push({ node, call })
    feed.ofNode.set(node, before + taken.length)
    feed.skipped.add(skipped)
    feed.skipped.addCalls(calls.slice(taken.length))
    feed.timer ??= setTimeout(() => this.#deliver(feed), COLLECT_MS)
  }

  #deliver(feed: Feed): void {
    const { calls, left } = fairShare(feed.calls, feed.ofNode)
    feed.skipped.addCalls(left)
    let text: string | undefined
    const batch: Batch = {
      calls,
      count: calls.length,
      ...feed.skipped.take(),
      get json() {
        text ??= JSON.stringify(calls)
        return text
      },
    }
    feed.timer = undefined
    feed.calls = []
    feed.ofNode = new Map()
    for (const reader of [...feed.readers]) reader(batch)
  }
}

function keyOf(kfl: string, traces: boolean): string {
  return `${traces ? 'traces' : 'calls'} ${kfl}`
}

/** Not more than `MAX_CALLS`, and the others. Where there are more, nodes with few calls lose none to a node that sends many. */
function fairShare(calls: Feed['calls'], ofNode: ReadonlyMap<string, number>) {
  if (calls.length <= MAX_CALLS) return { calls: calls.map(({ call }) => call), left: [] }
  const shares = new Map<string, number>()
  let rest = MAX_CALLS
  const fewestFirst = [...ofNode].sort((a, b) => a[1] - b[1])
  for (const [at, [node, count]] of fewestFirst.entries()) {
    const share = Math.min(count, Math.floor(rest / (fewestFirst.length - at)))
    shares.set(node, share)
    rest -= share
  }
  const taken: LiveCall[] = []
  const left: LiveCall[] = []
  for (const { node, call } of calls) {
    const more = shares.get(node) ?? 0
    shares.set(node, more - 1)
    if (more > 0) taken.push(call)
    else left.push(call)
  }
  return { calls: taken, left }
}
