import type { WorkerReport } from '@tapdeck/api'
import { z } from 'zod'
import type { Log } from '../log.ts'
import type { Unsaved } from '../state/unsaved.ts'
import { type NodeFormat, NodeStore } from './node-store.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

const counters = [
  'skipped_packets',
  'kernel_drops',
  'disk_drops',
  'unwritten_calls',
  'undelivered_calls',
] as const
type Counter = (typeof counters)[number]
type Counts = Partial<Record<Counter, number>>

/** What a node can lose: the counters of its reports that say so, and whether a report counts. */
interface LossKind {
  readonly what: string
  readonly counters: readonly Counter[]
  counts(report: WorkerReport): boolean
}

/** What makes the live index of a node miss calls. */
export const indexLoss: LossKind = {
  what: 'gaps of the live index',
  counters: ['skipped_packets', 'kernel_drops', 'unwritten_calls'],
  counts: ({ indexing }) => indexing,
}

/** What the recording of a node misses. */
export const recordingLoss: LossKind = {
  what: 'times of dropped packets',
  counters: ['kernel_drops', 'disk_drops'],
  counts: () => true,
}

/** What live readers of a node's calls miss, because its connection to the hub was congested. The index has these calls. */
export const streamLoss: LossKind = {
  what: 'times of undelivered calls',
  counters: ['undelivered_calls'],
  counts: () => true,
}

/** A time in which a node lost something; Unix milliseconds. */
export interface LossSpan extends Counts {
  readonly node: string
  readonly start: number
  readonly end: number
}

/** Losses with less than this between them are one. */
const ONE_MS = 5000
/** Packets that are reported as lost came a moment before. */
const BEFORE_MS = 1000
/** Of one node. Beyond, its two oldest are joined: a node that loses much takes nothing from what is known of the others. */
const MAX_SPANS = 500

const count = z.number().min(0)
const span = z.object({
  node: z.string(),
  start: z.number(),
  end: z.number(),
  skipped_packets: count.exactOptional(),
  kernel_drops: count.exactOptional(),
  disk_drops: count.exactOptional(),
  unwritten_calls: count.exactOptional(),
  undelivered_calls: count.exactOptional(),
})
const kept = z.object({
  spans: z.array(span),
  last: z.array(z.tuple([z.string(), z.object({ at: z.number(), loss: z.record(z.string(), count) })])),
})

/** What a node lost, oldest first, and its counters at its last report. */
interface NodeLosses {
  readonly spans: LossSpan[]
  readonly last?: { readonly at: number; readonly loss: Readonly<Record<string, number>> }
}

const format: Omit<NodeFormat<NodeLosses>, 'what'> = {
  decode(json) {
    const { spans, last } = kept.parse(json)
    const nodes = new Map<string, NodeLosses>(last.map(([node, one]) => [node, { spans: [], last: one }]))
    for (const span of spans) {
      const known = nodes.get(span.node)
      if (known) known.spans.push(span)
      else nodes.set(span.node, { spans: [span] })
    }
    return nodes
  },
  encode: (nodes) => ({
    spans: [...nodes.values()].flatMap(({ spans }) => spans),
    last: [...nodes].flatMap(([node, { last }]) => (last ? [[node, last]] : [])),
  }),
}

export interface LossTimesOptions {
  readonly kind: LossKind
  readonly file: string
  readonly log: Log
  readonly unsaved: Unsaved
  readonly now: () => number
}

/**
 * When a node lost something, from what it reports every second. Counters say how much was lost; a query of a window
 * wants to know whether it was there. What the nodes keep outlives the hub, so this is kept in a file, with the counts
 * that the nodes were at: what they lost while they were not connected is seen at their next report.
 */
export class LossTimes {
  readonly #options: LossTimesOptions
  readonly #store: NodeStore<NodeLosses>

  private constructor(workers: Workers, options: LossTimesOptions, store: NodeStore<NodeLosses>) {
    this.#options = options
    this.#store = store
    // One that was away counts on; one that restarted has counted less, or nothing yet.
    workers.on('join', (worker) => this.#compare(worker))
    workers.on('report', (worker) => this.#compare(worker))
  }

  static async open(workers: Workers, options: LossTimesOptions): Promise<LossTimes> {
    return new LossTimes(
      workers,
      options,
      await NodeStore.open(options, { ...format, what: options.kind.what }),
    )
  }

  async close(): Promise<void> {
    await this.#store.close()
  }

  /** Those of a window, or all, in order of time. */
  within(start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY): LossSpan[] {
    return [...this.#store.nodes.values()]
      .flatMap(({ spans }) => spans)
      .filter((span) => span.end >= start && span.start <= end)
      .sort((a, b) => a.start - b.start)
  }

  #compare({ node, report }: Worker): void {
    const { spans = [], last } = this.#store.get(node) ?? {}
    const now = this.#options.now()
    this.#store.set(node, { spans, last: { at: now, loss: { ...report.loss } } })
    const { kind } = this.#options
    if (last === undefined || !kind.counts(report)) return
    const counts: Counts = {}
    for (const key of kind.counters) {
      const more = (report.loss[key] ?? 0) - (last.loss[key] ?? 0)
      if (more > 0) counts[key] = more
    }
    if (Object.keys(counts).length > 0) add(spans, { node, start: last.at - BEFORE_MS, end: now, ...counts })
  }
}

function add(spans: LossSpan[], span: LossSpan): void {
  const before = spans.at(-1)
  if (before && span.start - before.end < ONE_MS) spans[spans.length - 1] = joined(before, span)
  else spans.push(span)
  const [first, second] = spans
  if (spans.length > MAX_SPANS && first && second) spans.splice(0, 2, joined(first, second))
}

function joined(before: LossSpan, after: LossSpan): LossSpan {
  const counts: Counts = {}
  for (const key of counters) {
    const sum = (before[key] ?? 0) + (after[key] ?? 0)
    if (sum > 0) counts[key] = sum
  }
  return { node: before.node, start: before.start, end: after.end, ...counts }
}
