import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Damaged } from './damaged.ts'
import { syncFolder, writeDurably } from './durable-file.ts'
import type { EventKind } from './events/recorded-event.ts'
import { NameTaken } from './name-taken.ts'
import { nodeFileName } from './node-file-name.ts'
import { readChunks } from './read-chunks.ts'
import { Room } from './room.ts'
import type {
  Snapshot,
  SnapshotChange,
  SnapshotEvents,
  SnapshotFile,
  SnapshotNode,
  SnapshotRemarks,
  SnapshotRequest,
} from './snapshot.ts'
import { hashOf, type NodeResult, SnapshotWriter } from './snapshot-writer.ts'
import { META, nodeState, type Stored, type StoredFile, totalled, unreadable } from './stored-snapshot.ts'

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/
const CHUNK = 1 << 20

/**
 * Snapshots on disk, a folder each: `snapshot.json` beside one pcapng file a node. One store per folder at a time.
 * Files are written under a temporary name and appear whole; after completion nothing changes any more.
 */
export class SnapshotStore {
  readonly folder: string
  /** The budget of all snapshots. Whoever keeps more below a snapshot's folder takes from it and gives back. */
  readonly room: Room
  readonly #entries = new Map<string, Stored>()
  readonly #saving = new Map<string, Promise<void>>()

  private constructor(folder: string, maxBytes: number) {
    this.folder = folder
    this.room = new Room(maxBytes)
  }

  /** Reads what is there. A snapshot that was being made when the process ended is `failed` from now on. */
  static async open(folder: string, options: { readonly maxBytes: number }): Promise<SnapshotStore> {
    const store = new SnapshotStore(folder, options.maxBytes)
    await mkdir(folder, { recursive: true })
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      if (entry.name.startsWith('.')) await rm(join(folder, entry.name), { recursive: true, force: true })
      else if (NAME.test(entry.name)) await store.#load(entry.name)
    }
    return store
  }

  /** Newest first. */
  list(): Snapshot[] {
    const all = [...this.#entries.values()].map((entry) => entry.snapshot)
    return all.sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0))
  }

  get(name: string): Snapshot | undefined {
    return this.#entries.get(name)?.snapshot
  }

  /** Where the snapshot lies; its dissections may be kept below. */
  path(name: string): string {
    if (!NAME.test(name)) throw new RangeError(`"${name}" is no name of a snapshot`)
    return join(this.folder, name)
  }

  /** Makes an empty snapshot, `in_progress`, all or nothing. Throws `NameTaken`. */
  async create(name: string, request: SnapshotRequest): Promise<Snapshot> {
    const path = this.path(name)
    if (this.#entries.has(name)) throw new NameTaken(name)
    const nodes = [...new Set(request.nodes)].map((node) => nodeState(node, 'pending'))
    const snapshot = totalled(
      {
        name,
        status: 'in_progress',
        progress: 0,
        size_bytes: 0,
        node_count: 0,
        packet_count: 0,
        duration: request.duration,
        start_ts: request.start_ts,
        end_ts: request.end_ts,
        created_at: request.created_at,
        partial: false,
        nodes: [],
        events: { cluster: 0, os: 0 },
        source: request.source ?? 'recording',
        tags: [],
        notes: '',
      },
      nodes,
    )
    const entry: Stored = { snapshot, files: [] }
    this.#entries.set(name, entry)
    try {
      const draft = await mkdtemp(join(this.folder, '.new-'))
      await writeDurably(join(draft, META), JSON.stringify(entry, null, 2))
      await rename(draft, path).catch(async (error: NodeJS.ErrnoException) => {
        await rm(draft, { recursive: true, force: true })
        throw error.code === 'ENOTEMPTY' || error.code === 'EEXIST' ? new NameTaken(name) : error
      })
      await syncFolder(this.folder)
    } catch (error) {
      this.#entries.delete(name)
      throw error
    }
    return snapshot
  }

  /**
   * Opens the file of one node. `NoRoom` comes out of `write` when the budget or the disk is full; after any error
   * call `abort`. A node that the request did not name is added.
   */
  async writer(name: string, node: string): Promise<SnapshotWriter> {
    const { snapshot } = this.#entry(name)
    if (snapshot.status === 'completed') throw new Error(`snapshot "${name}" is complete and does not change`)
    const file = nodeFileName(node, '.pcapng')
    if (this.#entry(name).files.some((known) => known.file === file))
      throw new Error(`node "${node}" is in snapshot "${name}" already`)
    this.#setNode(name, nodeState(node, 'in_progress'))
    return SnapshotWriter.open(join(this.path(name), file), this.room, {
      finished: (sha256, modified, result) =>
        this.#finishNode(name, { node, file, sha256, modified }, result),
      aborted: (reason) => this.#abortNode(name, node, reason),
    })
  }

  /** Keeps lines of events with a snapshot: of one node, or of the cluster. Throws like `writer`. */
  async keepEvents(
    name: string,
    kind: EventKind,
    node: string | undefined,
    write: (write: (lines: Uint8Array) => Promise<void>) => Promise<number>,
  ): Promise<void> {
    const file = node === undefined ? `${kind}-events.jsonl` : nodeFileName(node, `.${kind}-events.jsonl`)
    let count = 0
    const writer = await SnapshotWriter.open(join(this.path(name), file), this.room, {
      finished: async (sha256, _modified, { size_bytes }) => {
        const entry = this.#entry(name)
        const kept = { kind, ...(node !== undefined && { node }), file, sha256, size_bytes, count }
        const { snapshot } = entry
        const counts = { ...snapshot.events, [kind]: snapshot.events[kind] + count }
        const events = [...(entry.events ?? []), kept]
        const told = totalled({ ...snapshot, events: counts }, snapshot.nodes, events)
        this.#entries.set(name, { ...entry, events, snapshot: told })
        await this.#save(name)
      },
      aborted: async () => {},
    })
    try {
      count = await write((lines) => writer.write(lines))
      if (count === 0) await writer.abort('there are none')
      else await writer.finish({ packet_count: 0, dropped_packets: 0 })
    } catch (error) {
      await writer.abort(String(error))
      throw error
    }
  }

  /** The files of events that a snapshot carries. */
  eventFiles(name: string): SnapshotEvents[] {
    return (this.#entry(name).events ?? []).map(({ file, sha256: _, ...rest }) => ({
      ...rest,
      path: join(this.path(name), file),
    }))
  }

  /** Changes what is told of a snapshot. Kept in memory alone while only `progress` moves. */
  async update(name: string, change: SnapshotChange): Promise<Snapshot> {
    const entry = this.#entry(name)
    if (entry.snapshot.status === 'completed')
      throw new Error(`snapshot "${name}" is complete and does not change`)
    if (change.status === 'completed') return this.#complete(name, { ...change, progress: 100 })
    const snapshot = { ...entry.snapshot, ...change }
    this.#entries.set(name, { ...entry, snapshot })
    if (Object.keys(change).some((key) => key !== 'progress')) await this.#save(name)
    return snapshot
  }

  /** Nobody hears `completed` before the disk has it: a crash would take back what was said. */
  async #complete(name: string, change: SnapshotChange): Promise<Snapshot> {
    await this.#save(name, change)
    return this.#entry(name).snapshot
  }

  /** Ends the making of a snapshot. Completed snapshots never change again. */
  async setStatus(name: string, status: 'completed' | 'failed', error?: string): Promise<Snapshot> {
    return this.update(name, error === undefined ? { status } : { status, error })
  }

  /** Changes what people say of a snapshot: that is no part of what was recorded, so it may change at any time. */
  async remark(name: string, remarks: SnapshotRemarks): Promise<Snapshot> {
    const entry = this.#entry(name)
    const snapshot = { ...entry.snapshot, ...remarks }
    this.#entries.set(name, { ...entry, snapshot })
    await this.#save(name)
    return snapshot
  }

  /** Gives a finished snapshot another name. Throws `NameTaken`. The folder's name counts, also after a crash. */
  async rename(name: string, to: string): Promise<Snapshot> {
    const entry = this.#entry(name)
    const path = this.path(to)
    if (this.#entries.has(to)) throw new NameTaken(to)
    if (entry.snapshot.status === 'in_progress' || entry.snapshot.status === 'pending')
      throw new Error(`snapshot "${name}" is being made`)
    const renamed = { ...entry, snapshot: { ...entry.snapshot, name: to } }
    this.#entries.set(to, renamed)
    await this.#saving.get(name)?.catch(() => {})
    try {
      await rename(this.path(name), path)
    } catch (error) {
      this.#entries.delete(to)
      const { code } = error as NodeJS.ErrnoException
      throw code === 'ENOTEMPTY' || code === 'EEXIST' ? new NameTaken(to) : error
    }
    this.#entries.delete(name)
    await syncFolder(this.folder)
    await this.#save(to)
    return renamed.snapshot
  }

  /** Bytes that the disk itself has left, whatever the budget says. */
  async freeOnDisk(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder)
    return bavail * bsize
  }

  /** Deletes a snapshot and all below its folder; false where there is none. Open readers keep reading. */
  async remove(name: string): Promise<boolean> {
    const entry = this.#entries.get(name)
    if (entry === undefined) return false
    this.#entries.delete(name)
    await this.#saving.get(name)?.catch(() => {})
    const grave = await mkdtemp(join(this.folder, '.removed-'))
    await rename(this.path(name), join(grave, name))
    await syncFolder(this.folder)
    this.room.give(entry.snapshot.size_bytes)
    await rm(grave, { recursive: true, force: true })
    return true
  }

  /** The finished files of a snapshot, for whoever reads them in another thread. */
  files(name: string): SnapshotFile[] {
    const { snapshot, files } = this.#entry(name)
    return files.map(({ node, file, sha256 }) => ({
      node,
      path: join(this.path(name), file),
      size_bytes: snapshot.nodes.find((known) => known.name === node)?.size_bytes ?? 0,
      sha256,
    }))
  }

  /** The packets of one node as pcapng, in chunks of up to 1 MiB. */
  async *readNode(name: string, node: string): AsyncGenerator<Uint8Array> {
    const file = this.files(name).find((known) => known.node === node)
    if (file === undefined) throw new RangeError(`snapshot "${name}" holds no node "${node}"`)
    const size = await sizeOf(file.path)
    if (size !== file.size_bytes)
      throw new Damaged(`${file.path} has ${size < 0 ? 'vanished' : `${size} bytes`}, not ${file.size_bytes}`)
    yield* readChunks(file.path, CHUNK)
  }

  /** Reads all bytes again and compares; throws `Damaged` at the first file that is not what was stored. */
  async verify(name: string): Promise<void> {
    for (const file of this.files(name))
      if ((await hashOf(file.path)) !== file.sha256)
        throw new Damaged(`${file.path} does not match its checksum`)
    for (const { file, sha256 } of this.#entry(name).events ?? [])
      if ((await hashOf(join(this.path(name), file))) !== sha256)
        throw new Damaged(`${file} does not match its checksum`)
  }

  async #finishNode(name: string, file: StoredFile, result: NodeResult): Promise<void> {
    const entry = this.#entry(name)
    this.#entries.set(name, { ...entry, files: [...entry.files, file] })
    this.#setNode(name, { name: file.node, status: 'completed', ...result })
    await this.#save(name)
  }

  async #abortNode(name: string, node: string, reason: string): Promise<void> {
    const entry = this.#entries.get(name)
    if (entry === undefined) return
    this.#entries.set(name, { ...entry, files: entry.files.filter((known) => known.node !== node) })
    this.#setNode(name, { ...nodeState(node, 'failed'), error: reason })
    await this.#save(name)
  }

  #setNode(name: string, node: SnapshotNode): void {
    const entry = this.#entry(name)
    const known = entry.snapshot.nodes
    const nodes = known.some((other) => other.name === node.name)
      ? known.map((other) => (other.name === node.name ? node : other))
      : [...known, node]
    this.#entries.set(name, { ...entry, snapshot: totalled(entry.snapshot, nodes, entry.events) })
  }

  #entry(name: string): Stored {
    const entry = this.#entries.get(name)
    if (entry === undefined) throw new RangeError(`there is no snapshot "${name}"`)
    return entry
  }

  /** Saves one after the other, so that the newest state is the one that stays; `ahead` is told on disk first. */
  #save(name: string, ahead?: SnapshotChange): Promise<void> {
    const before = this.#saving.get(name) ?? Promise.resolve()
    const saved = before
      .catch(() => {})
      .then(async () => {
        const entry = this.#entries.get(name)
        if (entry === undefined) return
        const told = { ...entry, snapshot: { ...entry.snapshot, ...ahead } }
        await writeDurably(join(this.path(name), META), JSON.stringify(told, null, 2))
        const now = this.#entries.get(name)
        if (now && ahead) this.#entries.set(name, { ...now, snapshot: { ...now.snapshot, ...ahead } })
      })
    this.#saving.set(name, saved)
    const forget = () => this.#saving.get(name) === saved && this.#saving.delete(name)
    saved.then(forget, forget)
    return saved
  }

  async #load(name: string): Promise<void> {
    const path = this.path(name)
    let entry: Stored
    try {
      entry = JSON.parse(await readFile(join(path, META), 'utf8'))
      if (!Array.isArray(entry.files)) throw new Error()
      // What an older version wrote says less; a crash may have come between a renaming and its note.
      const { source = 'recording', tags = [], notes = '' } = entry.snapshot
      entry = { ...entry, snapshot: { ...entry.snapshot, name, source, tags, notes } }
    } catch {
      entry = { snapshot: unreadable(name), files: [] }
    }
    const kept = new Set([META, ...entry.files.map((known) => known.file)])
    for (const found of await readdir(path, { withFileTypes: true }))
      if (found.isFile() && !kept.has(found.name) && /\.(part|new)$/.test(found.name))
        await rm(join(path, found.name), { force: true })
    this.#entries.set(name, await checked(path, entry))
    this.room.occupy(this.#entry(name).snapshot.size_bytes)
    if (entry.snapshot.status === 'in_progress' || entry.snapshot.status === 'pending')
      await this.setStatus(name, 'failed', 'interrupted: the service ended while it was being made')
  }
}

/**
 * A node whose file is gone or has another size is told as failed. One whose file was written to and no longer has its
 * checksum is told, and what can be read of it stays usable. What nobody touched is not read again: `verify` does that.
 */
async function checked(path: string, entry: Stored): Promise<Stored> {
  let { snapshot, files } = entry
  for (const stored of entry.files) {
    const found = snapshot.nodes.find((known) => known.name === stored.node)
    const damage = await damageOf(path, stored, found?.size_bytes)
    if (damage === undefined) continue
    const { error, readable } = damage
    const told = { ...(readable && found ? found : nodeState(stored.node, 'failed')), error }
    const nodes = snapshot.nodes.map((known) => (known === found ? told : known))
    snapshot = { ...totalled(snapshot, nodes, entry.events), partial: true }
    if (!readable) files = files.filter((known) => known !== stored)
  }
  return { ...entry, snapshot, files }
}

async function damageOf(
  folder: string,
  { file, sha256, modified }: StoredFile,
  expected: number | undefined,
): Promise<{ readonly error: string; readonly readable: boolean } | undefined> {
  const path = join(folder, file)
  const status = await stat(path).catch(() => undefined)
  if (status === undefined) return { error: `${file} has vanished`, readable: false }
  if (status.size !== expected)
    return { error: `${file} has ${status.size} bytes, not ${expected}`, readable: false }
  if (modified === undefined || status.mtimeMs === modified || (await hashOf(path)) === sha256)
    return undefined
  return { error: `${file} was changed: it does not match its checksum`, readable: true }
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    (status) => status.size,
    () => -1,
  )
}
