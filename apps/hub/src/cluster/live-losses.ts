import type { NodeLoss } from '@tapdeck/api'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/** What makes the live index of a node miss calls. */
const counted = ['skipped_packets', 'kernel_drops', 'unwritten_calls'] as const
type Counts = Partial<Record<(typeof counted)[number], number>>

/** A time in which the live index of a node missed something; Unix milliseconds. */
export interface LossSpan extends Counts {
  readonly node: string
  readonly start: number
  readonly end: number
}

/** Losses with less than this between them are one. */
const ONE_MS = 5000
/** Packets that are reported as lost came a moment before. */
const BEFORE_MS = 1000
/** The oldest go first: the live index makes room for newer calls, too. */
const MOST_SPANS = 500
/** Nodes whose last counts are kept, also while they are not connected. */
const MOST_NODES = 1024

/**
 * When the live index fell short, from what the nodes report every second. Counters say how much was lost; whoever asks for a
 * window wants to know whether it was there. It remembers what it saw itself: since the hub was started.
 */
export class LiveLosses {
  readonly #now: () => number
  readonly #last = new Map<string, { readonly at: number; readonly loss: NodeLoss }>()
  readonly #spans: LossSpan[] = []

  constructor(workers: Workers, now: () => number) {
    this.#now = now
    // One that was away counts on; one that began anew has counted less, or nothing yet.
    workers.on('join', (worker) => this.#compare(worker))
    workers.on('report', (worker) => this.#compare(worker))
  }

  /** Those of a window, or all, in order of time. */
  within(start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY): LossSpan[] {
    return this.#spans.filter((span) => span.end >= start && span.start <= end)
  }

  #note({ node, report }: Worker): void {
    this.#last.delete(node)
    this.#last.set(node, { at: this.#now(), loss: report.loss })
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= MOST_NODES) break
      this.#last.delete(oldest)
    }
  }

  #compare(worker: Worker): void {
    const { node, report } = worker
    const last = this.#last.get(node)
    this.#note(worker)
    if (last === undefined || !report.indexing) return
    const counts: Counts = {}
    for (const key of counted) {
      const more = (report.loss[key] ?? 0) - (last.loss[key] ?? 0)
      if (more > 0) counts[key] = more
    }
    if (Object.keys(counts).length > 0)
      this.#add({ node, start: last.at - BEFORE_MS, end: this.#now(), ...counts })
  }

  #add(span: LossSpan): void {
    const at = this.#spans.findLastIndex(({ node }) => node === span.node)
    const before = this.#spans[at]
    if (before && span.start - before.end < ONE_MS) this.#spans[at] = joined(before, span)
    else this.#spans.push(span)
    if (this.#spans.length > MOST_SPANS) this.#spans.shift()
  }
}

function joined(before: LossSpan, after: LossSpan): LossSpan {
  const counts: Counts = {}
  for (const key of counted) {
    const sum = (before[key] ?? 0) + (after[key] ?? 0)
    if (sum > 0) counts[key] = sum
  }
  return { node: before.node, start: before.start, end: after.end, ...counts }
}
