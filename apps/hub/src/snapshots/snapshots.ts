import { EventEmitter } from 'node:events'
import { Problem } from '@tapdeck/api'
import { type Inventory, namesWithin } from '@tapdeck/inventory'
import {
  type CopyRequest,
  NameTaken,
  type PacketFilter,
  type Snapshot,
  type SnapshotCapture,
  type SnapshotEvents,
  type SnapshotGap,
  type SnapshotRemarks,
  type SnapshotStore,
} from '@tapdeck/recording'
import { formatDuration } from '@tapdeck/units'
import { boundariesOf } from '../cluster/boundaries-of.ts'
import type { Coverage } from '../cluster/coverage.ts'
import type { LossTimes } from '../cluster/loss-times.ts'
import { timed } from '../cluster/timed-gap.ts'
import type { Worker } from '../cluster/worker.ts'
import type { Workers } from '../cluster/workers.ts'
import type { Directory } from '../directory.ts'
import type { ClusterEvents } from '../events/cluster-events.ts'
import type { EventWindow } from '../events/keep-events.ts'
import type { Log } from '../log.ts'
import { nearestNames } from '../nearest-names.ts'
import type { StateStore } from '../state/state-store.ts'
import { ArrivingSnapshots } from './arriving-snapshots.ts'
import type { BucketQueue } from './bucket-queue.ts'
import { ChecksumQueue } from './checksum-queue.ts'
import { copyEvents } from './copy-events.ts'
import type { ImportRequest } from './import-capture.ts'
import { requireSpace } from './require-space.ts'
import { SnapshotImports } from './snapshot-imports.ts'
import { SnapshotJobs } from './snapshot-jobs.ts'
import type { SnapshotKeys } from './snapshot-keys.ts'
import { snapshotLosses } from './snapshot-losses.ts'
import { SnapshotNames, withNodes } from './snapshot-names.ts'
import { type SnapshotRecord, SnapshotRequests } from './snapshot-requests.ts'
import { expectedBytes, snapshotWindow, type WindowRequest } from './snapshot-window.ts'

export interface SnapshotsOptions {
  readonly store: SnapshotStore
  readonly workers: Workers
  readonly coverage: Coverage
  /** When the recordings of the nodes missed packets. */
  readonly losses: LossTimes
  readonly directory: Directory
  readonly clusterEvents: ClusterEvents
  readonly keys: SnapshotKeys
  readonly log: Log
  readonly now: () => number
  readonly state: StateStore
}

/** What one node gave to a snapshot whose packets were taken before it was made. */
export interface TakenNode {
  readonly node: string
  readonly packet_count: number
  readonly dropped_packets: number
  readonly bytes: AsyncIterable<Uint8Array>
}

export interface TakenWindow {
  readonly start: number
  readonly end: number
  readonly partial: boolean
  /** Times of which nothing was recorded. */
  readonly gaps?: readonly SnapshotGap[]
}

/** Snapshots and the jobs that make them. */
export class Snapshots extends EventEmitter<{ change: [] }> {
  readonly #options: SnapshotsOptions
  readonly #jobs: SnapshotJobs
  readonly #requests: SnapshotRequests
  readonly #names: SnapshotNames
  readonly #arriving: ArrivingSnapshots
  readonly #imports: SnapshotImports
  readonly #checksums: ChecksumQueue
  /** The TLS secrets of snapshots. */
  readonly keys: SnapshotKeys
  /** Absent: snapshots stay on this disk. */
  bucket: BucketQueue | undefined
  /** Nodes upload their part of a snapshot to the bucket themselves. */
  nodeUploads = false
  /** Where captures may be imported from by path; empty: nowhere. */
  importFolder = ''
  /** Milliseconds that a snapshot waits for a node whose connection broke meanwhile. */
  returnWithin = 0

  constructor(options: SnapshotsOptions) {
    super()
    this.#options = options
    this.keys = options.keys
    this.#names = new SnapshotNames(options.store)
    this.#arriving = new ArrivingSnapshots(options.store)
    const { store, log, now } = options
    const changed = () => this.emit('change')
    this.#imports = new SnapshotImports({
      ...{ store, log, now, changed },
      names: this.#names,
      arriving: this.#arriving,
    })
    this.#checksums = new ChecksumQueue(store, log, changed)
    this.#requests = new SnapshotRequests(options.state, log)
    this.#jobs = new SnapshotJobs({
      ...{ store, log, changed, requests: this.#requests },
      ...{ workers: options.workers, coverage: options.coverage, losses: options.losses },
      finished: (name) => this.#checksums.add(name),
      returnWithin: () => this.returnWithin,
      uploads: () => (this.nodeUploads ? store.archive : undefined),
      keepEvents: (record, workers, signal) => this.#keepBeside(record, workers, signal),
    })
  }

  get room() {
    return this.#options.store.room
  }

  list(): Snapshot[] {
    return this.#options.store.list()
  }

  find(name: string): Snapshot | undefined {
    return this.#options.store.get(name)
  }

  /** Throws 404 with close names. */
  get(name: string): Snapshot {
    const found = this.#options.store.get(name)
    if (found) return found
    const close = nearestNames(
      name,
      this.list().map((snapshot) => snapshot.name),
    )
    throw new Problem(404, 'unknown_snapshot', `No snapshot named "${name}"`, {
      hint: close.length > 0 ? `Similar names: ${close.join(', ')}.` : 'No snapshots exist.',
    })
  }

  path(name: string): string {
    return this.#options.store.path(name)
  }

  captures(name: string): SnapshotCapture[] {
    return this.#options.store.captures(name)
  }

  /** The captures as files on this disk, until `end`: those of a bucket are copied, as far as `parties` need them. */
  async files(
    name: string,
    request: CopyRequest,
  ): Promise<{ readonly captures: SnapshotCapture[]; end(): Promise<void> }> {
    const { store, log } = this.#options
    const { archive } = store
    const captures = store.captures(name)
    if (archive?.isRemote(name)) {
      const { read, ...copies } = await archive.copies(name, captures, request)
      const stored = captures.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
      log.info(
        { snapshot: name, reader: request.reader, read, stored },
        'read captures from the object storage',
      )
      return copies
    }
    const release = archive?.hold(name)
    return { captures, end: async () => release?.() }
  }

  /** A part of it was read, and an index may have been made for that. */
  recount(name: string): Promise<void> {
    return this.#options.store.recount(name)
  }

  eventFiles(name: string): SnapshotEvents[] {
    return this.#options.store.eventFiles(name)
  }

  /** With `damaged`, what cannot be read is reported and left out; without, it ends the reading. */
  readNode(name: string, node: string, damaged?: (reason: string) => void): AsyncGenerator<Uint8Array> {
    return this.#options.store.readNode(name, node, damaged)
  }

  /** A caller gets less of it than was stored. */
  noteDamage(name: string, reason: string): void {
    this.#options.log.warn({ snapshot: name, reason }, 'a snapshot is damaged')
  }

  filterNode(name: string, node: string, filter: PacketFilter): AsyncGenerator<Uint8Array> {
    return this.#options.store.filterNode(name, node, filter)
  }

  /** Who had which address when the snapshot was made; for one that was imported without names, who has it now. */
  async names(name: string): Promise<Inventory> {
    return (await this.#names.read(name)) ?? this.#options.directory.inventory
  }

  /** Starts to take a window out of the recordings. Resolves once that has begun. */
  async create(name: string, request: WindowRequest, nodes?: readonly string[]): Promise<Snapshot> {
    const { store, workers, now, directory, coverage } = this.#options
    if (store.get(name)) throw new NameTaken(name)
    const chosen = workers.choose(nodes)
    const chosenNodes = chosen.map(({ node }) => node)
    const recorded = await Promise.all(chosen.map(boundariesOf))
    const window = snapshotWindow(request, recorded, now())
    const expected = recorded.map((boundaries) => expectedBytes(boundaries, window))
    const total = Math.ceil(expected.reduce((sum, bytes) => sum + bytes, 0))
    // What nodes upload takes no space here; if they cannot, writing ends where the space does.
    if (!this.nodeUploads || store.archive === undefined) await requireSpace(store, total)
    // Nothing of a node that is away now gets into the snapshot, also if it is back before the snapshot is completed.
    const away = coverage.missedByRecording(window, nodes).filter(({ node }) => !chosenNodes.includes(node))
    const record: SnapshotRecord = {
      ...{ name, window, away: away.map(timed), restarts: 0 },
      duration: formatDuration(request.duration ?? window.end - window.start),
      created_at: new Date(now()).toISOString(),
      nodes: chosenNodes.map((node, at) => ({ node, expected_bytes: expected[at] ?? 0 })),
    }
    const { duration, created_at } = record
    const snapshot = await this.#arriving.begin(name, {
      ...{ duration, created_at, start_ts: window.start, end_ts: window.end, nodes: chosenNodes },
    })
    try {
      await this.#requests.save(record)
      const names = withNodes(namesWithin(directory.inventory, window.start, window.end), chosen)
      await this.#names.write(name, names)
    } catch (error) {
      await store.remove(name)
      await this.#requests.finish(name)
      throw error
    } finally {
      this.#arriving.end(name)
    }
    this.#jobs.start(record, chosen)
    this.emit('change')
    return snapshot
  }

  /** Continues the snapshots that were being made when the hub ended. */
  resume(): Promise<void> {
    return this.#jobs.resume()
  }

  /** Makes a snapshot out of a capture file, or adds one to a snapshot that was left open. */
  async import(request: ImportRequest): Promise<Snapshot> {
    const { name, append } = request
    await this.#imports.import(request, append && !this.#imports.isOpen(name) ? this.get(name) : undefined)
    return this.get(name)
  }

  abandonIdleImports(): Promise<void> {
    return this.#imports.abandonIdle()
  }

  /** Makes a snapshot out of packets that were taken out of the recordings before, all or nothing. */
  async keep(
    name: string,
    { start, end, partial, gaps = [] }: TakenWindow,
    taken: readonly TakenNode[],
  ): Promise<void> {
    const { store, now, directory, workers } = this.#options
    await this.#arriving.begin(name, {
      duration: formatDuration(end - start),
      start_ts: start,
      end_ts: end,
      created_at: new Date(now()).toISOString(),
      nodes: taken.map(({ node }) => node),
    })
    try {
      const names = withNodes(directory.inventory, workers.connected)
      await this.#names.write(name, names)
      for (const { node, bytes, ...counts } of taken) {
        const writer = await store.writer(name, node)
        try {
          for await (const chunk of bytes) await writer.write(chunk)
          await writer.finish(counts)
        } catch (error) {
          await writer.abort(String(error))
          throw error
        }
      }
      const nodes = new Set(taken.map(({ node }) => node))
      const there = workers.connected.filter(({ node }) => nodes.has(node))
      await this.#copyEvents(name, { start, end }, there)
      const losses = snapshotLosses(this.#options.losses, { start, end }, [...nodes])
      if (losses.length > 0) await store.update(name, { losses })
      if (partial) await store.update(name, { partial, ...(gaps.length > 0 && { gaps }) })
      await store.setStatus(name, 'completed')
    } catch (error) {
      await store.remove(name)
      throw error
    } finally {
      this.#arriving.end(name)
      this.emit('change')
    }
  }

  async #keepBeside(
    { name, window }: SnapshotRecord,
    workers: readonly Worker[],
    signal: AbortSignal,
  ): Promise<void> {
    const { directory } = this.#options
    await this.#copyEvents(name, window, workers, signal)
    // A hub that continues what another one began has not its names.
    if ((await this.#names.read(name)) !== undefined) return
    const names = withNodes(namesWithin(directory.inventory, window.start, window.end), workers)
    await this.#names.write(name, names).catch((error) => this.noteDamage(name, String(error)))
  }

  #copyEvents(
    name: string,
    window: EventWindow,
    workers: readonly Worker[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { store, clusterEvents, log } = this.#options
    return copyEvents({ store, name, window, workers, clusterEvents, keys: this.keys, log, signal })
  }

  async remark(name: string, remarks: SnapshotRemarks): Promise<void> {
    await this.#options.store.remark(name, remarks)
    this.emit('change')
  }

  /** Throws 409 while it is being made. */
  async rename(name: string, to: string): Promise<void> {
    if (this.isBeingMade(name)) throw new Problem(409, 'busy', `Snapshot "${name}" is being created`)
    await this.#jobs.stop(name)
    await this.#options.store.rename(name, to)
    this.#checksums.add(to)
    this.emit('change')
  }

  isBeingMade(name: string): boolean {
    return this.#imports.isOpen(name) || !isFinished(this.get(name))
  }

  /** Throws 409 while it is being made, unless that is to be stopped. */
  async remove(name: string, force: boolean): Promise<void> {
    const snapshot = this.get(name)
    // What arrives is put into the snapshot of this name, which could be another one by then.
    if (this.#arriving.has(name))
      throw new Problem(409, 'busy', `Snapshot "${name}" is being created`, {
        hint: 'Wait for the import to end. An aborted import is deleted.',
      })
    if (this.#jobs.has(name) && !force && !isFinished(snapshot))
      throw new Problem(409, 'busy', `Snapshot "${name}" is being created`, {
        hint: 'Wait, or delete with force.',
      })
    await this.#jobs.stop(name)
    this.#imports.forget(name)
    await this.#options.store.remove(name)
    this.emit('change')
  }

  async close(): Promise<void> {
    await this.#jobs.close()
    await this.#checksums.close()
    await this.bucket?.close()
    this.removeAllListeners()
  }
}

function isFinished({ status }: Snapshot): boolean {
  return status === 'completed' || status === 'failed'
}
