import type { ArchivedSnapshots, SnapshotGap, SnapshotNode, SnapshotStore } from '@tapdeck/recording'
import { awaitReturn } from '../cluster/await-return.ts'
import type { Coverage } from '../cluster/coverage.ts'
import type { LossTimes } from '../cluster/loss-times.ts'
import { timed } from '../cluster/timed-gap.ts'
import type { Worker } from '../cluster/worker.ts'
import type { Workers } from '../cluster/workers.ts'
import type { Log } from '../log.ts'
import { SnapshotJob } from './snapshot-job.ts'
import { snapshotLosses } from './snapshot-losses.ts'
import type { SnapshotRecord, SnapshotRequests } from './snapshot-requests.ts'

export interface SnapshotJobsOptions {
  readonly store: SnapshotStore
  readonly requests: SnapshotRequests
  readonly workers: Workers
  readonly coverage: Coverage
  /** When the recordings of the nodes missed packets. */
  readonly losses: LossTimes
  readonly log: Log
  readonly changed: () => void
  /** Called when a snapshot is completed or has failed. */
  readonly finished: (name: string) => void
  /** Milliseconds that a snapshot waits for a node whose connection broke meanwhile. */
  returnWithin(): number
  /** Present: nodes upload their part to the bucket themselves. */
  uploads(): ArchivedSnapshots | undefined
  /** Adds what happened beside the packets. Never throws. */
  keepEvents(record: SnapshotRecord, workers: readonly Worker[], signal: AbortSignal): Promise<void>
}

/** After so many restarts of the hub, it is more likely that this snapshot is the reason. */
const MAX_RESTARTS = 3
/** After a start, workers need some seconds to come back. */
const RECONNECT_MS = 60_000
const INTERRUPTED = 'interrupted: the hub stopped'

/** The snapshots that are being made. What the end of the hub interrupts, its next start continues. */
export class SnapshotJobs {
  readonly #options: SnapshotJobsOptions
  readonly #jobs = new Map<string, SnapshotJob>()

  constructor(options: SnapshotJobsOptions) {
    this.#options = options
  }

  has(name: string): boolean {
    return this.#jobs.has(name)
  }

  /** Takes the packets of the nodes that are not complete yet, in the background. */
  start(record: SnapshotRecord, workers: readonly Worker[]): void {
    const { store, requests, log, changed, finished, keepEvents, uploads, ...options } = this.#options
    const { name, window, nodes } = record
    const complete = new Set(completedOf(store, name).map((one) => one.name))
    const chosen = nodes.map(({ node }) => node)
    const job = new SnapshotJob({
      name,
      store,
      window,
      sources: nodes
        .filter(({ node }) => !complete.has(node))
        .map(({ node, expected_bytes: expectedBytes }) => ({
          ...{ node, expectedBytes, worker: workers.find((worker) => worker.node === node) },
        })),
      archive: uploads(),
      log,
      losses: () => snapshotLosses(options.losses, window, chosen),
      gaps: (all) => [...record.away, ...all.flatMap((node) => this.#gapsOf(record, node))],
      returned: (node, signal) => {
        const within = Math.max(options.returnWithin(), record.restarts > 0 ? RECONNECT_MS : 0)
        return awaitReturn(options.workers, node, within, signal)
      },
      keepEvents: (signal) =>
        keepEvents(
          record,
          options.workers.connected.filter(({ node }) => chosen.includes(node)),
          signal,
        ),
      changed,
    })
    this.#jobs.set(name, job)
    void job.run().finally(async () => {
      this.#jobs.delete(name)
      const { status } = store.get(name) ?? {}
      const isFinished = status === 'completed' || status === 'failed'
      if (isFinished) finished(name)
      changed()
      if (isFinished) await requests.finish(name)
    })
  }

  /**
   * Continues what was being made when the hub ended; here, or where another hub had its files. What the disk has no space for is
   * tried again by the next start: a hub that does not start could not free any.
   */
  async resume(): Promise<void> {
    const { store, requests, log } = this.#options
    const failed = (snapshot: string) => (error: unknown) =>
      log.error({ snapshot, err: error }, 'cannot continue an interrupted snapshot')
    for (const record of await requests.load()) await this.#resume(record).catch(failed(record.name))
    const isUnfinished = ({ status }: { readonly status: string }) =>
      status === 'in_progress' || status === 'pending'
    for (const snapshot of store.list())
      if (isUnfinished(snapshot) && !this.#jobs.has(snapshot.name))
        await store
          .setStatus(snapshot.name, 'failed', `${INTERRUPTED} while the snapshot was being created`)
          .catch(failed(snapshot.name))
  }

  /** Ends the making of a snapshot that is going to be deleted or renamed: no later start makes one of this name. */
  async stop(name: string): Promise<void> {
    await this.#jobs.get(name)?.stop()
    await this.#options.requests.remove(name)
  }

  /** What is being made is continued by the next start. */
  async close(): Promise<void> {
    await Promise.all([...this.#jobs.values()].map((job) => job.stop()))
  }

  async #resume(record: SnapshotRecord): Promise<void> {
    const { store, requests, log } = this.#options
    const { name, restarts, window, nodes, ...request } = record
    const found = store.get(name)
    if (found?.status === 'completed' || found?.status === 'failed') return requests.finish(name)
    if (found === undefined)
      await store.create(name, {
        ...{ duration: request.duration, created_at: request.created_at },
        ...{ start_ts: window.start, end_ts: window.end, nodes: nodes.map(({ node }) => node) },
      })
    if (restarts >= MAX_RESTARTS) {
      const reason = `${INTERRUPTED} ${restarts + 1} times while the snapshot was being created`
      await store.setStatus(name, 'failed', reason)
      return requests.finish(name)
    }
    const again = { ...record, restarts: restarts + 1 }
    await requests.save(again)
    await store.restart(name, again.restarts)
    log.info({ snapshot: name, restarts: again.restarts }, 'continuing an interrupted snapshot')
    this.start(again, [])
  }

  /** Of a node whose packets are here, it does not matter where it is now, nor what its ring has deleted since. */
  #gapsOf({ window }: SnapshotRecord, { name, status, covered }: SnapshotNode): SnapshotGap[] {
    const { coverage } = this.#options
    if (status !== 'completed') return coverage.missedByRecording(window, [name]).map(timed)
    const isMissing = (reason: string) =>
      reason !== 'worker_away' && (reason !== 'overwritten' || covered?.partial !== false)
    return coverage
      .recorded(window, [name])
      .filter(({ reason }) => isMissing(reason))
      .map(timed)
  }
}

function completedOf(store: SnapshotStore, name: string): SnapshotNode[] {
  return store.get(name)?.nodes.filter(({ status }) => status === 'completed') ?? []
}
