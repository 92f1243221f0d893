import { Problem } from '@tapdeck/api'
import {
  type ArchivedSnapshots,
  type CoveredTime,
  OutOfSpace,
  type SnapshotGap,
  type SnapshotLoss,
  type SnapshotNode,
  type SnapshotStore,
} from '@tapdeck/recording'
import { Slots } from '../cluster/slots.ts'
import type { Worker } from '../cluster/worker.ts'
import type { Log } from '../log.ts'
import { NodeTransfer } from './node-transfer.ts'
import type { SnapshotWindow } from './snapshot-window.ts'

/** A node that packets are taken from. */
interface SnapshotSource {
  readonly node: string
  /** Absent: the job waits for it. */
  readonly worker: Worker | undefined
  readonly expectedBytes: number
}

export interface SnapshotJobOptions {
  readonly name: string
  readonly store: SnapshotStore
  readonly window: SnapshotWindow
  readonly sources: readonly SnapshotSource[]
  /** Present: nodes upload their part to the bucket themselves. */
  readonly archive: ArchivedSnapshots | undefined
  readonly log: Log
  readonly changed: () => void
  /** Times of the window of which nothing was recorded on these nodes, as far as is known now. */
  gaps(nodes: readonly SnapshotNode[]): readonly SnapshotGap[]
  /** Times of the window in which packets were dropped, as far as is known now. */
  losses(): readonly SnapshotLoss[]
  /** The connection of a node, or its next one; undefined where none comes in time. */
  returned(node: string, signal: AbortSignal): Promise<Worker | undefined>
  /** Adds what happened beside the packets. Never throws. */
  keepEvents(signal: AbortSignal): Promise<void>
}

const NODES_AT_ONCE = 16
const REPORT_EVERY_MS = 250

/**
 * Takes one window out of the recordings of some nodes, besides those whose part is complete. A node that fails leaves the snapshot
 * partial. One that is stopped leaves it unfinished.
 */
export class SnapshotJob {
  readonly #options: SnapshotJobOptions
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined
  #bytes = 0
  #reportedAt = 0

  constructor(options: SnapshotJobOptions) {
    this.#options = options
  }

  run(): Promise<void> {
    this.#running ??= this.#run()
    return this.#running
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { name, store, window, sources, log } = this.#options
    const slots = new Slots(NODES_AT_ONCE)
    const { signal } = this.#stopped
    const failures: string[] = []
    const take = async (source: SnapshotSource): Promise<void> => {
      const { node } = source
      try {
        await this.#take(source, slots)
      } catch (error) {
        if (signal.aborted) return
        const reason = reasonOf(error)
        log.warn({ snapshot: name, node, reason }, 'no packets from a node for a snapshot')
        failures.push(`${node}: ${reason}`)
      }
    }
    try {
      await Promise.all(sources.map(take))
      if (signal.aborted) return
      const nodes = store.get(name)?.nodes ?? []
      const taken = nodes.filter(({ status }) => status === 'completed')
      if (taken.length === 0) {
        await store.setStatus(name, 'failed', failures.join('; '))
        return
      }
      await this.#options.keepEvents(signal)
      if (signal.aborted) return
      const parts = taken.flatMap(({ covered }) => covered ?? [])
      const gaps = this.#options.gaps(nodes)
      const losses = this.#options.losses()
      await store.update(name, {
        status: 'completed',
        ...joined(parts),
        partial:
          window.beyond || failures.length > 0 || gaps.length > 0 || parts.some(({ partial }) => partial),
        ...(gaps.length > 0 && { gaps }),
        ...(losses.length > 0 && { losses }),
        ...(failures.length > 0 && { error: failures.join('; ') }),
      })
    } catch (error) {
      if (signal.aborted) return
      log.error({ snapshot: name, err: error }, 'snapshot failed')
      await store.setStatus(name, 'failed', reasonOf(error)).catch(() => {})
    }
  }

  async #take({ node, worker: known, expectedBytes }: SnapshotSource, slots: Slots): Promise<void> {
    const { name, store, window, log, returned, archive } = this.#options
    const { signal } = this.#stopped
    const worker = known ?? (await returned(node, signal))
    if (worker === undefined) {
      const problem = new Problem(503, 'worker_lost', 'its worker did not connect after a restart of the hub')
      await store.failNode(name, node, problem.message)
      throw problem
    }
    const transfer = new NodeTransfer(worker, {
      ...{ name, store, window, log, signal, slots },
      ...(archive && { direct: { archive, expectedBytes } }),
      received: (bytes) => this.#progress(bytes),
      returned: (left) => returned(left.node, signal),
      reason: reasonOf,
    })
    await transfer.run()
  }

  #progress(bytes: number): void {
    const { name, store, sources, changed } = this.#options
    const expectedBytes = sources.reduce((sum, source) => sum + source.expectedBytes, 0)
    this.#bytes += bytes
    const now = performance.now()
    if (now - this.#reportedAt < REPORT_EVERY_MS) return
    this.#reportedAt = now
    const progress = Math.min(99, Math.floor((100 * this.#bytes) / Math.max(expectedBytes, this.#bytes)))
    void store.update(name, { progress }).catch(() => {})
    changed()
  }
}

/** From the first to the last packet that any node gave. */
function joined(parts: readonly CoveredTime[]): { start_ts?: number; end_ts?: number } {
  const starts = parts.flatMap(({ start_ts }) => start_ts ?? [])
  const ends = parts.flatMap(({ end_ts }) => end_ts ?? [])
  return starts.length === 0 ? {} : { start_ts: Math.min(...starts), end_ts: Math.max(...ends) }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Problem ? (error.cause ?? error) : error
  if (cause instanceof OutOfSpace || (cause instanceof Problem && cause.status === 507))
    return `no space: ${cause.message}`
  return cause instanceof Error ? cause.message : String(cause)
}
