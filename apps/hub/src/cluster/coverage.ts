import { type CoverageReport, gapText, isPodRecorder } from '@tapdeck/api'
import { outside, within } from '@tapdeck/recording'
import { z } from 'zod'
import type { Log } from '../log.ts'
import type { Unsaved } from '../state/unsaved.ts'
import type { MissingNode } from './absent-nodes.ts'
import { allGaps } from './all-gaps.ts'
import type { ExpectedNode } from './expected-nodes.ts'
import { joinOldest } from './join-oldest.ts'
import { type NodeFormat, NodeStore } from './node-store.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/** A time of which a node has nothing, and why. Unix milliseconds. */
export interface NodeGap {
  readonly node: string
  readonly from: number
  readonly to: number
  readonly kind: 'not_recorded' | 'not_indexed'
  readonly reason: string
  /** The reason as a sentence. */
  readonly detail: string
  /** It is being indexed out of the recording. */
  readonly pending?: true
}

export interface CoverageWindow {
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/** `detail` is more than the reason says. */
type UntoldGap = Omit<NodeGap, 'node' | 'detail'> & { readonly detail?: string }

/** A node that has been away for longer says nothing of what came after: it was taken out of the cluster. */
const DEPARTED_MS = 24 * 3_600_000
const AWAY = 'worker_away'
/** Reasons for which nothing was captured at all, so that nothing could be indexed either. */
const UNCAPTURED: ReadonlySet<string> = new Set(['capture_lost', 'no_permission'])

const reason = z.string()
const detail = z.string().exactOptional()
const covered = z.object({
  until: z.number(),
  off: z.object({ reason, detail }).exactOptional(),
  forgotten: z.number().exactOptional(),
  gaps: z.array(
    z.object({ from: z.number(), to: z.number(), reason, detail, pending: z.literal(true).exactOptional() }),
  ),
})
const known = z.object({ node: z.string(), seen: z.number(), recorded: covered, indexed: covered })
const file = z.object({ nodes: z.array(known) })
type Covered = z.infer<typeof covered>
type Known = z.infer<typeof known>

const format: NodeFormat<Known> = {
  what: 'gaps of the nodes',
  decode: (json) => file.parse(json).nodes.map((one) => [one.node, one]),
  encode: (nodes) => ({ nodes: [...nodes.values()] }),
}

export interface CoverageOptions {
  readonly file: string
  readonly log: Log
  readonly unsaved: Unsaved
  readonly now: () => number
  /** Calls are stored apart from the nodes: those of a node that is away can be asked for. */
  readonly isShared?: boolean
  /** The nodes that should have a worker, where they are known. */
  readonly expected?: () => readonly ExpectedNode[]
  /** The nodes on which no worker runs by configuration. */
  readonly excluded?: () => readonly MissingNode[]
}

/**
 * When the nodes recorded and indexed nothing, from what they report. A node that is away is a gap of which nothing is known
 * until it is back, so what was known of it outlives the hub. A node of the cluster that never had a worker is a gap, too.
 */
export class Coverage {
  readonly #workers: Workers
  readonly #options: CoverageOptions
  readonly #store: NodeStore<Known>

  private constructor(workers: Workers, options: CoverageOptions, store: NodeStore<Known>) {
    this.#workers = workers
    this.#options = options
    this.#store = store
    workers.on('join', (worker) => {
      this.#take(worker)
      void store.save()
    })
    workers.on('report', (worker) => this.#take(worker))
    workers.on('leave', () => void store.save())
  }

  static async open(workers: Workers, options: CoverageOptions): Promise<Coverage> {
    return new Coverage(workers, options, await NodeStore.open(options, format))
  }

  async close(): Promise<void> {
    await this.#store.close()
  }

  /** Those of which something is known. */
  get nodes(): string[] {
    return [...this.#store.nodes.keys()]
  }

  /** The nodes that should have a worker, and have none that is connected now. */
  get missing(): MissingNode[] {
    const here = new Set(this.#workers.connected.map(({ node }) => node))
    const expected = this.#options.expected?.() ?? []
    return expected
      .filter(({ name }) => !here.has(name))
      .map(({ name, reason }) => ({ name, reason: gapText(this.#absenceOf(name), reason) }))
  }

  /** The nodes that have no worker by configuration: nothing that is asked for now is missing from an answer without them. */
  get excluded(): MissingNode[] {
    const here = new Set(this.#workers.connected.map(({ node }) => node))
    return (this.#options.excluded?.() ?? []).filter(({ name }) => !here.has(name))
  }

  /** When nothing was recorded, as far as is known: a node that is away may have recorded since. */
  recorded(window: CoverageWindow, nodes?: readonly string[]): NodeGap[] {
    return this.#collect(window, nodes, (one, isHere, now) =>
      allGaps(one.recorded, one.seen, isHere, now, 'overwritten').map((gap) => ({
        ...gap,
        kind: 'not_recorded' as const,
      })),
    )
  }

  /** What an answer out of the recordings misses: of a node that is away, everything. */
  missedByRecording(window: CoverageWindow, nodes?: readonly string[]): NodeGap[] {
    return this.#collect(window, nodes, (one, isHere, now) =>
      isHere
        ? allGaps(one.recorded, one.seen, true, now, 'overwritten').map((gap) => ({
            ...gap,
            kind: 'not_recorded' as const,
          }))
        : [{ ...away(one.recorded, now), kind: 'not_recorded' as const }],
    )
  }

  /** What an answer out of the live index misses. */
  missedLive(window: CoverageWindow): NodeGap[] {
    return this.#collect(window, undefined, (one, isHere, now) => {
      if (!isHere && !this.#options.isShared)
        return [{ ...away(one.indexed, now), kind: 'not_indexed' as const }]
      const unrecorded = allGaps(one.recorded, one.seen, true, now, 'overwritten')
      const unindexed = allGaps(one.indexed, one.seen, isHere, now, 'index_full')
      const uncaptured = unrecorded.filter(({ reason }) => UNCAPTURED.has(reason))
      const never = unindexed.flatMap(({ from, to }) => within(unrecorded, from, to))
      const recorded = unindexed.flatMap((gap) => outside(gap, unrecorded))
      return [
        ...recorded.map((gap) => ({ ...gap, kind: 'not_indexed' as const })),
        ...[...never, ...uncaptured.flatMap((gap) => outside(gap, never))].map((gap) => ({
          ...gap,
          kind: 'not_recorded' as const,
        })),
      ]
    })
  }

  #collect(
    { start, end }: CoverageWindow,
    nodes: readonly string[] | undefined,
    gapsOf: (one: Known, isHere: boolean, now: number) => UntoldGap[],
  ): NodeGap[] {
    const now = this.#options.now()
    const here = new Set(this.#workers.connected.map(({ node }) => node))
    const expected = this.#options.expected?.() ?? []
    const staying = new Map(expected.map(({ name, reason }) => [name, reason]))
    const excluded = new Map(this.excluded.map(({ name, reason }) => [name, reason]))
    const isDeparted = ({ node, seen }: Known) =>
      !here.has(node) &&
      !staying.has(node) &&
      Math.max(start ?? 0, Math.min(end ?? now, now)) > seen + DEPARTED_MS
    const known = [...this.#store.nodes.values()]
      .filter((one) => !isDeparted(one))
      .map((one) => ({
        node: one.node,
        all: gapsOf(one, here.has(one.node), this.#lastTime(one, here, now)),
      }))
    const unknown = expected
      .filter(({ name }) => !here.has(name) && this.#store.get(name) === undefined)
      .map((one) => ({ node: one.name, all: [this.#workerless(one, now)] }))
    const found = [...known, ...unknown].flatMap(({ node, all }) => {
      if (nodes && !nodes.includes(node)) return []
      // Without a start, the time before there was anything is not asked for.
      const asked = start === undefined ? all.filter(({ from }) => from > 0) : all
      return within(asked, start ?? 0, Math.min(end ?? now, now)).map((gap) => ({
        ...gap,
        node,
        detail: gapText(
          gap.reason,
          gap.detail ?? (gap.reason === AWAY ? (staying.get(node) ?? excluded.get(node)) : undefined),
        ),
      }))
    })
    return joinOldest(found).sort((a, b) => a.from - b.from)
  }

  /** A recorder of a pod that has ended misses nothing after its end: it was to record for a time. */
  #lastTime({ node, seen }: Known, here: ReadonlySet<string>, now: number): number {
    return isPodRecorder(node) && !here.has(node) ? Math.min(seen, now) : now
  }

  /** A node of the cluster of which nothing was ever reported. */
  #workerless({ name, since = 0, reason: detail }: ExpectedNode, now: number): UntoldGap {
    return {
      // Of a window without a start, too.
      from: Math.max(1, since),
      to: now,
      kind: 'not_recorded',
      reason: this.#absenceOf(name),
      ...(detail !== undefined && { detail }),
    }
  }

  #absenceOf(name: string): 'worker_away' | 'no_worker' {
    const wasHere =
      this.#store.get(name) !== undefined || this.#workers.gone.some(({ node }) => node === name)
    return wasHere ? AWAY : 'no_worker'
  }

  #take({ node, report }: Worker): void {
    const { coverage } = report
    const before = this.#store.get(node)
    if (!coverage) return
    this.#store.set(node, {
      node,
      seen: this.#options.now(),
      recorded: merged(before?.recorded, coverage.recorded),
      indexed: merged(before?.indexed, coverage.indexed),
    })
  }
}

/** A node that cannot be asked: nothing of it is in the answer. */
function away({ until, gaps }: Covered, now: number) {
  const [first] = gaps
  const from = first?.from === 0 ? first.to : (first?.from ?? until)
  return { from, to: now, reason: AWAY }
}

/** A report leaves out gaps that have not changed. */
function merged(before: Covered | undefined, { gaps, ...report }: CoverageReport): Covered {
  return { ...report, gaps: gaps ? [...gaps] : (before?.gaps ?? []) }
}
