import { Problem } from '@tapdeck/api'
import { OutOfSpace, type SnapshotGap, type SnapshotStore } from '@tapdeck/recording'
import type { Worker } from '../cluster/worker.ts'
import type { Log } from '../log.ts'
import type { SnapshotWindow } from './snapshot-window.ts'

export interface SnapshotJobOptions {
  readonly name: string
  readonly store: SnapshotStore
  readonly window: SnapshotWindow
  readonly expectedBytes: number
  readonly workers: readonly Worker[]
  readonly log: Log
  readonly changed: () => void
  /** Times of the window of which nothing was recorded, as far as is known now. */
  gaps(): readonly SnapshotGap[]
  /** Adds what happened beside the packets. Never throws. */
  keepEvents(signal: AbortSignal): Promise<void>
}

interface NodePart {
  readonly start_ts: number | null
  readonly end_ts: number | null
  readonly partial: boolean
}

const PIECE_WITHIN = 30_000
/** Only the edges of a window are copied for it. */
const HAND_OVER_WITHIN = 60_000
const NODES_AT_ONCE = 16
const REPORT_EVERY_MS = 250
const INTERRUPTED = 'interrupted: the hub stopped while the snapshot was being created'

/** Takes one window out of the recordings of some workers. A node that fails leaves the snapshot partial. */
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
    const { name, store, window, workers, log } = this.#options
    const waiting = [...workers]
    const parts: NodePart[] = []
    const failures: string[] = []
    const next = async (): Promise<void> => {
      for (let worker = waiting.shift(); worker !== undefined; worker = waiting.shift())
        try {
          parts.push(await this.#take(worker))
        } catch (error) {
          const reason = this.#reason(error)
          log.warn({ snapshot: name, node: worker.node, reason }, 'no packets from a node for a snapshot')
          failures.push(`${worker.node}: ${reason}`)
        }
    }
    try {
      await Promise.all(Array.from({ length: NODES_AT_ONCE }, next))
      if (parts.length === 0) {
        await store.setStatus(name, 'failed', failures.join('; '))
        return
      }
      await this.#options.keepEvents(this.#stopped.signal)
      const gaps = this.#options.gaps()
      await store.update(name, {
        status: 'completed',
        ...covered(parts),
        partial:
          window.beyond || failures.length > 0 || gaps.length > 0 || parts.some(({ partial }) => partial),
        ...(gaps.length > 0 && { gaps }),
        ...(failures.length > 0 && { error: failures.join('; ') }),
      })
    } catch (error) {
      log.error({ snapshot: name, err: error }, 'snapshot failed')
      await store.setStatus(name, 'failed', this.#reason(error)).catch(() => {})
    }
  }

  async #take(worker: Worker): Promise<NodePart> {
    return (await this.#takeFiles(worker)) ?? this.#takeBytes(worker)
  }

  /** Without copying, where the worker has the same disk; undefined where it has not. */
  async #takeFiles(worker: Worker): Promise<NodePart | undefined> {
    const { name, store, window, log } = this.#options
    const folder = await store.lend()
    try {
      const handed = await worker.ask(
        'hand_over',
        { start: window.start, end: window.end, folder, max_bytes: store.room.free },
        { patience: HAND_OVER_WITHIN, signal: this.#stopped.signal },
      )
      await store.adopt(name, worker.node, folder, handed)
      return handed
    } catch (error) {
      const problem = error instanceof Problem ? error : undefined
      if (
        this.#stopped.signal.aborted ||
        worker.gone ||
        error instanceof OutOfSpace ||
        problem?.status === 507
      ) {
        await store.failNode(name, worker.node, this.#reason(error))
        throw error
      }
      if (problem?.code !== 'not_shared' && problem?.code !== 'unknown_request')
        log.warn(
          { snapshot: name, node: worker.node, reason: this.#reason(error) },
          'cannot hard-link the recording of a node; copying it',
        )
      return undefined
    } finally {
      await store.takeBack(folder)
    }
  }

  async #takeBytes(worker: Worker): Promise<NodePart> {
    const { name, store, window } = this.#options
    const writer = await store.writer(name, worker.node)
    try {
      const answer = await worker.stream(
        'window',
        { start: window.start, end: window.end },
        async (bytes) => {
          await writer.write(bytes)
          this.#progress(bytes.length)
        },
        { patience: PIECE_WITHIN, signal: this.#stopped.signal },
      )
      await writer.finish(answer)
      return answer
    } catch (error) {
      await writer.abort(this.#reason(error))
      throw error
    }
  }

  /** It is stopped only when the hub ends, or when the snapshot is deleted. */
  #reason(error: unknown): string {
    return this.#stopped.signal.aborted ? INTERRUPTED : reasonOf(error)
  }

  #progress(bytes: number): void {
    const { name, store, expectedBytes, changed } = this.#options
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
function covered(parts: readonly NodePart[]): { start_ts?: number; end_ts?: number } {
  const starts = parts.flatMap(({ start_ts }) => start_ts ?? [])
  const ends = parts.flatMap(({ end_ts }) => end_ts ?? [])
  return starts.length === 0 ? {} : { start_ts: Math.min(...starts), end_ts: Math.max(...ends) }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof OutOfSpace || (cause instanceof Problem && cause.status === 507))
    return `no space: ${cause.message}`
  return cause instanceof Error ? cause.message : String(cause)
}
