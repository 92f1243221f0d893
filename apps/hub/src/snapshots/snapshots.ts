import { EventEmitter } from 'node:events'
import { Problem } from '@tapdeck/api'
import { type Inventory, namesWithin } from '@tapdeck/inventory'
import {
  NameTaken,
  OutOfSpace,
  type PacketFilter,
  type Snapshot,
  type SnapshotCapture,
  type SnapshotEvents,
  type SnapshotGap,
  type SnapshotRemarks,
  type SnapshotRequest,
  type SnapshotStore,
} from '@tapdeck/recording'
import { formatDuration } from '@tapdeck/units'
import { awaitReturn } from '../cluster/await-return.ts'
import type { Coverage } from '../cluster/coverage.ts'
import { Slots } from '../cluster/slots.ts'
import { timed } from '../cluster/timed-gap.ts'
import type { Worker } from '../cluster/worker.ts'
import type { Workers } from '../cluster/workers.ts'
import type { Directory } from '../directory.ts'
import type { ClusterEvents } from '../events/cluster-events.ts'
import { type EventWindow, keepClusterEvents, keepOsEvents } from '../events/keep-events.ts'
import type { Log } from '../log.ts'
import { nearestNames } from '../nearest-names.ts'
import { boundariesOf } from './boundaries-of.ts'
import { ChecksumQueue } from './checksum-queue.ts'
import { type ImportRequest, importCapture } from './import-capture.ts'
import { importNames } from './import-names.ts'
import { IDLE_MS, OpenImports } from './open-imports.ts'
import { SnapshotJob } from './snapshot-job.ts'
import type { SnapshotKeys } from './snapshot-keys.ts'
import { SnapshotNames, withNodes } from './snapshot-names.ts'
import { expectedBytes, snapshotWindow, type WindowRequest } from './snapshot-window.ts'

export interface SnapshotsOptions {
  readonly store: SnapshotStore
  readonly workers: Workers
  readonly coverage: Coverage
  readonly directory: Directory
  readonly clusterEvents: ClusterEvents
  readonly log: Log
  readonly now: () => number
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

const EVENTS_AT_ONCE = 16
const GIVEN_UP = `abandoned: the import announced more files, and none arrived for ${formatDuration(IDLE_MS)}`
/** A full disk would stop the recording as well. */
const DISK_RESERVE = 64 * 1024 * 1024

/** Snapshots and the jobs that make them. */
export class Snapshots extends EventEmitter<{ change: [] }> {
  readonly #options: SnapshotsOptions
  readonly #jobs = new Map<string, SnapshotJob>()
  readonly #names: SnapshotNames
  readonly #open: OpenImports
  /** Those that are just begun, or whose bytes are being uploaded. */
  readonly #arriving = new Set<string>()
  readonly #checksums: ChecksumQueue
  /** Absent: TLS secrets are not collected. */
  keys: SnapshotKeys | undefined
  /** Where captures may be imported from by path; empty: nowhere. */
  importFolder = ''
  /** Milliseconds that a snapshot waits for a node whose connection broke meanwhile. */
  returnWithin = 0

  constructor(options: SnapshotsOptions) {
    super()
    this.#options = options
    this.#names = new SnapshotNames(options.store)
    this.#open = new OpenImports(options.now)
    this.#checksums = new ChecksumQueue(options.store, options.log, () => this.emit('change'))
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
    const { store, workers, log, now, directory, coverage } = this.#options
    if (store.get(name)) throw new NameTaken(name)
    const chosen = workers.choose(nodes)
    const chosenNodes = chosen.map(({ node }) => node)
    const recorded = await Promise.all(chosen.map(boundariesOf))
    const window = snapshotWindow(request, recorded, now())
    const expected = recorded.map((boundaries) => expectedBytes(boundaries, window))
    const total = Math.ceil(expected.reduce((sum, bytes) => sum + bytes, 0))
    if (total > store.room.free)
      throw new OutOfSpace(
        `The window has about ${total} bytes, and the snapshot storage has ${store.room.free} free`,
        total,
        store.room.free,
      )
    const onDisk = await store.freeOnDisk()
    if (total + DISK_RESERVE > onDisk)
      throw new OutOfSpace(
        `The window has about ${total} bytes, and the disk has ${onDisk} free, of which ${DISK_RESERVE} are reserved`,
        total,
        Math.max(0, onDisk - DISK_RESERVE),
      )
    const snapshot = await this.#begin(name, {
      duration: formatDuration(request.duration ?? window.end - window.start),
      start_ts: window.start,
      end_ts: window.end,
      created_at: new Date(now()).toISOString(),
      nodes: chosenNodes,
    })
    try {
      const names = withNodes(namesWithin(directory.inventory, window.start, window.end), chosen)
      await this.#names.write(name, names)
    } catch (error) {
      await store.remove(name)
      throw error
    } finally {
      this.#arriving.delete(name)
    }
    // Nothing of a node that is away now gets into the snapshot, also if it is back before the snapshot is completed.
    const away = coverage.missedByRecording(window, nodes).filter(({ node }) => !chosenNodes.includes(node))
    const job = new SnapshotJob({
      name,
      store,
      window,
      expectedBytes: total,
      workers: chosen,
      log,
      gaps: () => [...away, ...coverage.missedByRecording(window, chosenNodes)].map(timed),
      returned: (left, signal) => awaitReturn(workers, left, this.returnWithin, signal),
      keepEvents: (signal) => this.#keepEvents(name, window, workers.connectedOf(chosen), signal),
      changed: () => this.emit('change'),
    })
    this.#jobs.set(name, job)
    void job.run().finally(() => {
      this.#jobs.delete(name)
      this.#checksums.add(name)
      this.emit('change')
    })
    this.emit('change')
    return snapshot
  }

  /** Makes a snapshot out of a capture file, or adds one to a snapshot that was left open. */
  async import(request: ImportRequest): Promise<Snapshot> {
    const { name, append, more, kind = 'capture' } = request
    const { store, now } = this.#options
    if (kind === 'inventory' && !append && !more)
      throw new Problem(
        400,
        'invalid_input',
        'A snapshot needs a capture: send one with the inventory, or set more=true and send it next',
      )
    if (append && !this.#open.has(name)) {
      const { error } = this.get(name)
      throw new Problem(
        409,
        'snapshot_closed',
        `Snapshot "${name}" is not an open import`,
        error === undefined ? {} : { hint: `It failed: ${error}` },
      )
    }
    if (append) this.#arriving.add(name)
    else
      await this.#begin(name, {
        duration: '0s',
        start_ts: null,
        end_ts: null,
        created_at: new Date(now()).toISOString(),
        nodes: kind === 'capture' ? [request.node] : [],
        source: 'import',
      })
    this.#open.delete(name)
    try {
      if (kind === 'capture') await importCapture(store, request)
      else await this.#names.write(name, await importNames(request.bytes))
      if (!more && store.get(name)?.nodes.length === 0)
        throw new Problem(400, 'invalid_input', 'A snapshot needs a capture: only an inventory was sent')
      if (more) this.#open.add(name)
      else await store.setStatus(name, 'completed')
    } catch (error) {
      if (append) this.#open.add(name)
      else await store.remove(name)
      throw error
    } finally {
      this.#arriving.delete(name)
      this.emit('change')
    }
    return this.get(name)
  }

  /** Imports whose next file did not come for long have failed: nothing is kept of them. */
  async abandonIdleImports(): Promise<void> {
    const { store, log } = this.#options
    for (const name of this.#open.idle()) {
      this.#open.delete(name)
      this.#arriving.add(name)
      try {
        await store.discard(name, GIVEN_UP)
        log.info({ snapshot: name }, 'abandoned an import: no further file arrived')
      } catch (error) {
        log.warn({ snapshot: name, err: error }, 'cannot delete an abandoned import')
      } finally {
        this.#arriving.delete(name)
        this.emit('change')
      }
    }
  }

  /** Makes a snapshot out of packets that were taken out of the recordings before, all or nothing. */
  async keep(
    name: string,
    { start, end, partial, gaps = [] }: TakenWindow,
    taken: readonly TakenNode[],
  ): Promise<void> {
    const { store, now, directory, workers } = this.#options
    await this.#begin(name, {
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
      await this.#keepEvents(name, { start, end }, there)
      if (partial) await store.update(name, { partial, ...(gaps.length > 0 && { gaps }) })
      await store.setStatus(name, 'completed')
    } catch (error) {
      await store.remove(name)
      throw error
    } finally {
      this.#arriving.delete(name)
      this.emit('change')
    }
  }

  /** It cannot be deleted while it is in `#arriving`. Throws `NameTaken`. */
  async #begin(name: string, request: SnapshotRequest): Promise<Snapshot> {
    const { store } = this.#options
    if (store.get(name)) throw new NameTaken(name)
    this.#arriving.add(name)
    try {
      return await store.create(name, request)
    } catch (error) {
      this.#arriving.delete(name)
      throw error
    }
  }

  /** A snapshot without its events is worth more than none: what fails is logged. */
  async #keepEvents(
    name: string,
    window: EventWindow,
    workers: readonly Worker[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { store, clusterEvents, log } = this.#options
    const failed = (error: unknown) =>
      log.warn({ snapshot: name, detail: String(error) }, 'cannot copy all events into a snapshot')
    await keepClusterEvents(store, name, window, clusterEvents).catch(failed)
    const slots = new Slots(EVENTS_AT_ONCE)
    await Promise.all(
      workers.map((worker) =>
        slots
          .use(async () => {
            await keepOsEvents(store, name, window, worker, signal).catch(failed)
            await this.keys?.keep(name, window, worker, signal)
          })
          .catch((error) =>
            log.warn({ snapshot: name, detail: String(error) }, 'cannot copy TLS secrets into a snapshot'),
          ),
      ),
    )
  }

  async remark(name: string, remarks: SnapshotRemarks): Promise<void> {
    await this.#options.store.remark(name, remarks)
    this.emit('change')
  }

  /** Throws 409 while it is being made. */
  async rename(name: string, to: string): Promise<void> {
    if (this.isBeingMade(name)) throw new Problem(409, 'busy', `Snapshot "${name}" is being created`)
    await this.#options.store.rename(name, to)
    this.#checksums.add(to)
    this.emit('change')
  }

  isBeingMade(name: string): boolean {
    return this.#open.has(name) || !isFinished(this.get(name))
  }

  /** Throws 409 while it is being made, unless that is to be stopped. */
  async remove(name: string, force: boolean): Promise<void> {
    const snapshot = this.get(name)
    // What arrives is put into the snapshot of this name, which could be another one by then.
    if (this.#arriving.has(name))
      throw new Problem(409, 'busy', `Snapshot "${name}" is being created`, {
        hint: 'Wait for the import to end. An aborted import is deleted.',
      })
    const job = this.#jobs.get(name)
    if (job && !force && !isFinished(snapshot))
      throw new Problem(409, 'busy', `Snapshot "${name}" is being created`, {
        hint: 'Wait, or delete with force.',
      })
    await job?.stop()
    this.#open.delete(name)
    await this.#options.store.remove(name)
    this.emit('change')
  }

  async close(): Promise<void> {
    await Promise.all([...this.#jobs.values()].map((job) => job.stop()))
    await this.#checksums.close()
    this.removeAllListeners()
  }
}

function isFinished({ status }: Snapshot): boolean {
  return status === 'completed' || status === 'failed'
}
