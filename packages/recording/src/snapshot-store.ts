import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from '@tapdeck/objects'
import { ArchivedSnapshots } from './archive/archived-snapshots.ts'
import { discarded, discardFiles } from './discard-files.ts'
import { DiskBudget } from './disk-budget.ts'
import { sync } from './durable-file.ts'
import type { EventKind } from './events/recorded-event.ts'
import { filterFiles, type PacketFilter } from './filter-files.ts'
import type { HandedWindow } from './hand-over.ts'
import { loadSnapshot } from './load-snapshot.ts'
import { makeFolder } from './make-folder.ts'
import { NameTaken } from './name-taken.ts'
import { nodeFileName } from './node-file-name.ts'
import { isSealed, sealedWith, sealFiles } from './seal-files.ts'
import type {
  Snapshot,
  SnapshotCapture,
  SnapshotChange,
  SnapshotEvents,
  SnapshotFile,
  SnapshotNode,
  SnapshotRemarks,
  SnapshotRequest,
} from './snapshot.ts'
import { verifyFiles } from './snapshot-damage.ts'
import { isSnapshotName, SnapshotEntries } from './snapshot-entries.ts'
import { capturesOf, filesOf, readFiles } from './snapshot-files.ts'
import { countsOf, type NodeResult, SnapshotWriter } from './snapshot-writer.ts'
import {
  diskBytes,
  isArchived,
  isUnfinished,
  newSnapshot,
  nodeState,
  requireOpen,
  restarted,
  SEGMENTS,
  type Stored,
  type StoredFile,
  withEvents,
  withNode,
} from './stored-snapshot.ts'
import { indexBytesBeside, takeHandedFiles } from './take-handed-files.ts'
import { removeEvents, writeEvents } from './write-events.ts'

export interface SnapshotStoreOptions {
  readonly maxBytes: number
  /** The bucket that finished snapshots are moved to. */
  readonly objects?: ObjectStore | undefined
}

/**
 * Snapshots on disk, a folder each: `snapshot.json` beside one pcapng file a node. One store per folder at a time.
 * Files are written under a temporary name and appear whole; after completion nothing changes any more.
 */
export class SnapshotStore {
  readonly folder: string
  /** The budget of all snapshots. A writer of more files below a snapshot's folder takes from it and gives back. */
  readonly room: DiskBudget
  /** Absent: snapshots are on this disk alone. */
  readonly archive: ArchivedSnapshots | undefined
  readonly #entries: SnapshotEntries
  /** Bytes of the indexes beside the files of a snapshot, which come and go without changing it. */
  readonly #indexes = new Map<string, number>()

  private constructor(folder: string, { maxBytes, objects }: SnapshotStoreOptions) {
    this.folder = folder
    this.room = new DiskBudget(maxBytes)
    this.#entries = new SnapshotEntries(folder)
    this.archive = objects && new ArchivedSnapshots(objects, this.#entries, this.room)
  }

  /** Reads what is there. What was being made when the process ended is `in_progress`, to be continued by `restart`; imports are `failed`. */
  static async open(folder: string, options: SnapshotStoreOptions): Promise<SnapshotStore> {
    const store = new SnapshotStore(folder, options)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      if (entry.name.startsWith('.')) await rm(join(folder, entry.name), { recursive: true, force: true })
      else if (isSnapshotName(entry.name)) await store.#load(entry.name)
    }
    return store
  }

  /** Newest first. */
  list(): Snapshot[] {
    const all = this.#entries.all().map((entry) => entry.snapshot)
    return all.sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0))
  }

  get(name: string): Snapshot | undefined {
    return this.#entries.find(name)?.snapshot
  }

  /** Where the snapshot lies; its dissections may be kept below. */
  path(name: string): string {
    return this.#entries.path(name)
  }

  /** Makes an empty snapshot, `in_progress`, all or nothing. Throws `NameTaken`. */
  async create(name: string, request: SnapshotRequest): Promise<Snapshot> {
    // Throws where it is no name.
    this.path(name)
    if (this.#entries.has(name)) throw new NameTaken(name)
    const entry: Stored = { snapshot: newSnapshot(name, request), files: [] }
    this.#entries.set(name, entry)
    try {
      await makeFolder(this.folder, entry)
    } catch (error) {
      this.#entries.delete(name)
      throw error
    }
    return entry.snapshot
  }

  /**
   * Opens the file of one node. `OutOfSpace` comes out of `write` when the budget or the disk is full; after any error
   * call `abort`. A node that the request did not name is added.
   */
  async writer(name: string, node: string): Promise<SnapshotWriter> {
    requireOpen(this.#entries.get(name), node)
    const file = nodeFileName(node, '.pcapng')
    this.#setNode(name, nodeState(node, 'in_progress'))
    return SnapshotWriter.open(join(this.path(name), file), this.room, {
      finished: (sha256, modified, result) =>
        this.#finishNode(name, { node, file, sha256, modified }, result),
      aborted: (reason) => this.failNode(name, node, reason),
    })
  }

  /** Makes a folder that files can be handed over in, and returns its name. */
  async lend(): Promise<string> {
    const lent = `.hand-over-${randomUUID()}`
    await mkdir(join(this.folder, lent), { mode: 0o700 })
    return lent
  }

  async takeBack(lent: string): Promise<void> {
    await rm(join(this.folder, lent), { recursive: true, force: true })
  }

  /**
   * Makes what lies in a lent folder the part of one node. Its checksums are taken by `seal`. Throws `OutOfSpace`, and `Damaged` where it is not what was said.
   */
  async adopt(name: string, node: string, lent: string, window: HandedWindow): Promise<void> {
    requireOpen(this.#entries.get(name), node)
    const from = join(this.folder, lent)
    const found = await takeHandedFiles(from, window.files, node)
    const size_bytes = found.reduce((sum, file) => sum + (file.size_bytes ?? 0), 0)
    const indexes = await indexBytesBeside(found.map(({ file }) => join(from, file)))
    this.room.take(size_bytes + indexes)
    try {
      const folder = nodeFileName(node, SEGMENTS)
      await rename(from, join(this.path(name), folder))
      await sync(this.path(name))
      this.#indexes.set(name, (this.#indexes.get(name) ?? 0) + indexes)
      const entry = this.#entries.get(name)
      const files = [...entry.files, ...found.map((file) => ({ ...file, file: `${folder}/${file.file}` }))]
      this.#entries.set(name, { ...entry, files })
      const { start_ts, end_ts, partial } = window
      const counts = countsOf({ ...window, covered: { start_ts, end_ts, partial } })
      this.#setNode(name, { name: node, status: 'completed', size_bytes, ...counts })
    } catch (error) {
      this.room.give(size_bytes + indexes)
      throw error
    }
    await this.#entries.save(name)
  }

  /** Takes the checksums that a snapshot lacks. Resolves early where it is renamed or deleted meanwhile. */
  async seal(name: string, signal?: AbortSignal): Promise<void> {
    const missing = (this.#entries.find(name)?.files ?? []).filter(({ sha256 }) => sha256 === undefined)
    if (missing.length === 0) return
    const seals = await sealFiles(this.path(name), missing, signal)
    const entry = this.#entries.find(name)
    if (entry === undefined) return
    this.#entries.set(name, sealedWith(entry, seals))
    await this.#entries.save(name)
  }

  /** Counts the index files of a snapshot: a reader of a part may have created them. */
  async recount(name: string): Promise<void> {
    if (!this.#entries.has(name)) return
    const bytes = await indexBytesBeside(this.files(name).map(({ path }) => path))
    if (!this.#entries.has(name)) return
    this.room.give(this.#indexes.get(name) ?? 0)
    this.room.occupy(bytes)
    this.#indexes.set(name, bytes)
  }

  /** Keeps lines of events with a snapshot: of one node, or of the cluster. Throws like `writer`. */
  async keepEvents(
    name: string,
    kind: EventKind,
    node: string | undefined,
    write: (write: (lines: Uint8Array) => Promise<void>) => Promise<number>,
  ): Promise<void> {
    const file = node === undefined ? `${kind}-events.jsonl` : nodeFileName(node, `.${kind}-events.jsonl`)
    await writeEvents(join(this.path(name), file), this.room, write, async (written) => {
      const kept = { kind, ...(node !== undefined && { node }), file, ...written }
      this.#entries.set(name, withEvents(this.#entries.get(name), kept))
      await this.#entries.save(name)
    })
  }

  /** The files of events that a snapshot carries. */
  eventFiles(name: string): SnapshotEvents[] {
    return (this.#entries.get(name).events ?? []).map(({ file, sha256: _, ...rest }) => ({
      ...rest,
      path: join(this.path(name), file),
    }))
  }

  /** Changes the description of a snapshot. A change of `progress` alone is kept in memory only. */
  async update(name: string, change: SnapshotChange): Promise<Snapshot> {
    const entry = this.#entries.get(name)
    if (entry.snapshot.status === 'completed')
      throw new Error(`snapshot "${name}" is complete and does not change`)
    if (change.status === 'completed') return this.#complete(name, { ...change, progress: 100 })
    const snapshot = { ...entry.snapshot, ...change }
    this.#entries.set(name, { ...entry, snapshot })
    if (Object.keys(change).some((key) => key !== 'progress')) await this.#entries.save(name)
    return snapshot
  }

  /** `completed` is reported only after it is durable: a crash would undo it otherwise. */
  async #complete(name: string, change: SnapshotChange): Promise<Snapshot> {
    const verified = isSealed(this.#entries.get(name).files)
    await this.#entries.save(name, { ...change, verified })
    return this.#entries.get(name).snapshot
  }

  /** Ends the making of a snapshot. Completed snapshots never change again. */
  async setStatus(name: string, status: 'completed' | 'failed', error?: string): Promise<Snapshot> {
    return this.update(name, error === undefined ? { status } : { status, error })
  }

  /** Makes a snapshot ready to be continued that was cut off by the end of the process: it keeps the nodes that are complete. */
  async restart(name: string, restarts: number): Promise<Snapshot> {
    const entry = this.#entries.get(name)
    this.room.give(await removeEvents(this.path(name), entry.events))
    this.#entries.set(name, restarted(entry, restarts))
    await this.#entries.save(name)
    await this.archive?.forgetUploads(name)
    return this.#entries.get(name).snapshot
  }

  /** Ends the making of a snapshot of which nothing is to stay: its files go, and their room is free again. */
  async discard(name: string, error: string): Promise<void> {
    const entry = this.#entries.get(name)
    this.room.give(diskBytes(entry) + (this.#indexes.get(name) ?? 0))
    this.#indexes.delete(name)
    this.#entries.set(name, discarded(entry, error))
    // A crash in between leaves one that is found unfinished, and is discarded again.
    await discardFiles(this.path(name))
    await this.#entries.save(name)
  }

  /** Changes what people say of a snapshot: that is no part of what was recorded, so it may change at any time. */
  async remark(name: string, remarks: SnapshotRemarks): Promise<Snapshot> {
    const entry = this.#entries.get(name)
    const snapshot = { ...entry.snapshot, ...remarks }
    await this.archive?.describe({ ...entry, snapshot })
    this.#entries.set(name, { ...entry, snapshot })
    await this.#entries.save(name)
    return snapshot
  }

  /** Gives a finished snapshot another name. Throws `NameTaken`. The folder's name counts, also after a crash. */
  async rename(name: string, to: string): Promise<Snapshot> {
    await this.archive?.halt(name)
    const entry = this.#entries.get(name)
    const path = this.path(to)
    if (this.#entries.has(to)) throw new NameTaken(to)
    if (isUnfinished(entry.snapshot)) throw new Error(`snapshot "${name}" is being made`)
    const moved = (await this.archive?.rename(entry, to)) ?? entry
    const renamed = { ...moved, snapshot: { ...moved.snapshot, name: to } }
    this.#entries.set(to, renamed)
    await this.#entries.settled(name)
    try {
      await rename(this.path(name), path)
    } catch (error) {
      this.#entries.delete(to)
      const { code } = error as NodeJS.ErrnoException
      throw code === 'ENOTEMPTY' || code === 'EEXIST' ? new NameTaken(to) : error
    }
    this.#entries.delete(name)
    this.#indexes.set(to, this.#indexes.get(name) ?? 0)
    this.#indexes.delete(name)
    await sync(this.folder)
    await this.#entries.save(to)
    await this.archive?.renamed(entry, to)
    return renamed.snapshot
  }

  /** Bytes that the disk itself has left, whatever the budget says. */
  async freeOnDisk(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder)
    return bavail * bsize
  }

  /** Deletes a snapshot and all below its folder; false where there is none. Open readers keep reading. */
  async remove(name: string): Promise<boolean> {
    await this.archive?.halt(name)
    const entry = this.#entries.find(name)
    if (entry === undefined) return false
    await this.archive?.remove(entry)
    await this.#forget(name, entry)
    await this.archive?.discard(entry)
    return true
  }

  /** Compares with the bucket; `leaving` is called before a snapshot goes that another hub deleted there. */
  async refresh(problem: (text: string) => void, leaving: (name: string) => Promise<void>): Promise<boolean> {
    if (this.archive === undefined) return false
    const { found, gone } = await this.archive.refresh(problem)
    for (const entry of found) this.room.occupy(diskBytes(entry))
    for (const name of gone) {
      await leaving(name)
      const entry = this.#entries.find(name)
      if (entry) await this.#forget(name, entry)
    }
    await this.archive.dropCopies()
    return found.length + gone.length > 0
  }

  async #forget(name: string, entry: Stored): Promise<void> {
    this.#entries.delete(name)
    await this.#entries.settled(name)
    const grave = await mkdtemp(join(this.folder, '.removed-'))
    await rename(this.path(name), join(grave, name))
    await sync(this.folder)
    this.room.give(diskBytes(entry) + (this.#indexes.get(name) ?? 0))
    this.#indexes.delete(name)
    await rm(grave, { recursive: true, force: true })
  }

  /** The finished files of a snapshot. */
  files(name: string): SnapshotFile[] {
    return filesOf(this.path(name), this.#entries.get(name), this.archive)
  }

  /** The finished nodes of a snapshot, for readers of their packets. */
  captures(name: string): SnapshotCapture[] {
    return capturesOf(this.path(name), this.#entries.get(name))
  }

  /** The packets of one node as pcapng, in chunks; see `readFiles` for damage. */
  readNode(name: string, node: string, damaged?: (reason: string) => void): AsyncGenerator<Uint8Array> {
    const files = this.files(name).filter((known) => known.node === node)
    if (files.length === 0) throw new RangeError(`snapshot "${name}" holds no node "${node}"`)
    return readFiles(files, damaged)
  }

  /** The filtered packets of one recorded node. */
  filterNode(name: string, node: string, filter: PacketFilter): AsyncGenerator<Uint8Array> {
    return filterFiles(
      this.files(name).filter((known) => known.node === node),
      filter,
    )
  }

  /** Reads all bytes again and compares; throws `Damaged` at the first file that is not what was stored. */
  async verify(name: string): Promise<void> {
    await verifyFiles(this.path(name), this.#entries.get(name))
  }

  async #finishNode(name: string, file: StoredFile, result: NodeResult): Promise<void> {
    const entry = this.#entries.get(name)
    this.#entries.set(name, { ...entry, files: [...entry.files, file] })
    this.#setNode(name, { name: file.node, status: 'completed', ...result })
    await this.#entries.save(name)
  }

  /** Marks a node as failed, without what it may have had. */
  async failNode(name: string, node: string, reason: string): Promise<void> {
    const entry = this.#entries.find(name)
    if (entry === undefined) return
    this.#entries.set(name, { ...entry, files: entry.files.filter((known) => known.node !== node) })
    this.#setNode(name, { ...nodeState(node, 'failed'), error: reason })
    await this.#entries.save(name)
  }

  #setNode(name: string, node: SnapshotNode): void {
    this.#entries.set(name, withNode(this.#entries.get(name), node))
  }

  async #load(name: string): Promise<void> {
    const entry = await loadSnapshot(this.path(name), name)
    this.#entries.set(name, entry)
    this.room.occupy(diskBytes(entry))
    if (isArchived(entry)) await this.archive?.dropFiles(name, entry)
    await this.recount(name)
    // An importer still has the files.
    if (isUnfinished(entry.snapshot) && entry.snapshot.source === 'import')
      await this.discard(name, 'interrupted: the hub stopped during this import; import it again')
  }
}
