import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Log } from '../log.ts'
import { writeFileWhole } from '../write-file-whole.ts'
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
/** Of one node. Beyond, its two oldest are joined: a node that loses much takes nothing from what is known of the others. */
const MAX_SPANS = 500
/** Nodes whose losses and last counts are kept, also while they are not connected. */
const MAX_NODES = 1024
/** How often they are written; after a crash, the counters of the nodes report it again, for a longer time. */
const SAVE_EVERY_MS = 10_000

const count = z.number().min(0)
const span = z.object({
  node: z.string(),
  start: z.number(),
  end: z.number(),
  skipped_packets: count.exactOptional(),
  kernel_drops: count.exactOptional(),
  unwritten_calls: count.exactOptional(),
})
const kept = z.object({
  spans: z.array(span),
  last: z.array(z.tuple([z.string(), z.object({ at: z.number(), loss: z.record(z.string(), count) })])),
})
type Kept = z.infer<typeof kept>

export interface LiveLossesOptions {
  readonly file: string
  readonly log: Log
  readonly now: () => number
}

/**
 * When the live index fell short, from what the nodes report every second. Counters say how much was lost; a query of a
 * window wants to know whether it was there. The index is the nodes' and outlives the hub, so this is kept in a file, with
 * the counts that the nodes were at: what they lost while they were not connected is seen at their next report.
 */
export class LiveLosses {
  readonly #options: LiveLossesOptions
  readonly #last: Map<string, Kept['last'][number][1]>
  /** By node, each oldest first. */
  readonly #spans = new Map<string, LossSpan[]>()
  readonly #saving: NodeJS.Timeout

  private constructor(workers: Workers, options: LiveLossesOptions, { spans, last }: Kept) {
    this.#options = options
    for (const span of spans) this.#of(span.node).push(span)
    this.#last = new Map(last)
    this.#saving = setInterval(() => void this.#save(), SAVE_EVERY_MS).unref()
    // One that was away counts on; one that restarted has counted less, or nothing yet.
    workers.on('join', (worker) => this.#compare(worker))
    workers.on('report', (worker) => this.#compare(worker))
  }

  static async open(workers: Workers, options: LiveLossesOptions): Promise<LiveLosses> {
    const text = await readFile(options.file, 'utf8').catch(() => undefined)
    return new LiveLosses(workers, options, keptIn(text, options.log))
  }

  async close(): Promise<void> {
    clearInterval(this.#saving)
    await this.#save()
  }

  /** Those of a window, or all, in order of time. */
  within(start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY): LossSpan[] {
    return this.#all
      .filter((span) => span.end >= start && span.start <= end)
      .sort((a, b) => a.start - b.start)
  }

  async #save(): Promise<void> {
    const { file, log } = this.#options
    const now: Kept = { spans: this.#all, last: [...this.#last] }
    await writeFileWhole(file, JSON.stringify(now)).catch((error) =>
      log.warn({ err: error }, 'cannot save the gaps of the live index'),
    )
  }

  #note({ node, report }: Worker): void {
    this.#last.delete(node)
    this.#last.set(node, { at: this.#options.now(), loss: { ...report.loss } })
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= MAX_NODES) break
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
      this.#add({ node, start: last.at - BEFORE_MS, end: this.#options.now(), ...counts })
  }

  #add(span: LossSpan): void {
    const spans = this.#of(span.node)
    const before = spans.at(-1)
    if (before && span.start - before.end < ONE_MS) spans[spans.length - 1] = joined(before, span)
    else spans.push(span)
    const [first, second] = spans
    if (spans.length > MAX_SPANS && first && second) spans.splice(0, 2, joined(first, second))
  }

  get #all(): LossSpan[] {
    return [...this.#spans.values()].flat()
  }

  #of(node: string): LossSpan[] {
    const known = this.#spans.get(node)
    if (known) return known
    const spans: LossSpan[] = []
    this.#spans.set(node, spans)
    for (const oldest of this.#spans.keys()) {
      if (this.#spans.size <= MAX_NODES) break
      this.#spans.delete(oldest)
    }
    return spans
  }
}

function keptIn(text: string | undefined, log: Log): Kept {
  if (text === undefined) return { spans: [], last: [] }
  try {
    return kept.parse(JSON.parse(text))
  } catch (error) {
    log.warn({ err: error }, 'cannot read the saved gaps of the live index')
    return { spans: [], last: [] }
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
