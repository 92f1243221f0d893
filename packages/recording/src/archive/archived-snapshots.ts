import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ObjectStore, StorageProblem } from '@tapdeck/objects'
import type { DiskBudget } from '../disk-budget.ts'
import { NameTaken } from '../name-taken.ts'
import type { RandomReader } from '../random-reader.ts'
import { isSealed } from '../seal-files.ts'
import type { SegmentIndex } from '../segment-index/segment-index.ts'
import type { SnapshotCapture } from '../snapshot.ts'
import type { SnapshotEntries } from '../snapshot-entries.ts'
import {
  captureBytes,
  isArchived,
  isRemote,
  type Stored,
  type StoredFile,
  withNode,
} from '../stored-snapshot.ts'
import { manifestKey } from './archived.ts'
import { copyCapture, openRemote, remoteIndex } from './archived-copies.ts'
import { BucketDissections } from './bucket-dissections.ts'
import { adoptFolder, BucketListing } from './bucket-listing.ts'
import { GrantedUpload } from './granted-upload.ts'
import { MAX_MANIFEST, manifestOf } from './manifest.ts'
import { noteArchive } from './note-archive.ts'
import { sweepOrphans } from './orphans.ts'
import { publishSnapshot } from './publish-snapshot.ts'
import { tidyUploads } from './tidy-uploads.ts'

/** Ends the name of a folder with copies of captures for a reader. */
const COPIES = '.copies'

export interface CopyRequest {
  /** Distinguishes readers of one snapshot. */
  readonly reader: string
  /** Only packets with a key of each list are needed; empty: all; undefined: none. */
  readonly parties: readonly (readonly number[])[] | undefined
  readonly signal: AbortSignal
}

/** The part of a snapshot store that is in a bucket. The manifests there are the truth; this disk has copies. */
export class ArchivedSnapshots {
  readonly objects: ObjectStore
  readonly dissections: BucketDissections
  readonly #entries: SnapshotEntries
  readonly #room: DiskBudget
  readonly #listing: BucketListing
  /** Uploads at work, by name. */
  readonly #publishing = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>()
  /** Readers of the files on this disk, by name. */
  readonly #held = new Map<string, number>()
  /** Bytes of captures that are in the bucket and still on this disk, by name. */
  readonly #undropped = new Map<string, number>()
  /** Ids whose objects could not be removed at once. */
  readonly #unused = new Set<string>()
  readonly #suspects = new Set<string>()
  /** Bytes of captures that arrived in the bucket, by who sent them. */
  readonly sentBytes = { hub: 0, node: 0 }

  constructor(objects: ObjectStore, entries: SnapshotEntries, room: DiskBudget) {
    this.objects = objects
    this.dissections = new BucketDissections(objects)
    this.#entries = entries
    this.#room = room
    this.#listing = new BucketListing(objects)
  }

  /** Snapshots that are finished and sealed, and not in the bucket. */
  waiting(): string[] {
    return this.#entries
      .all()
      .filter((entry) => entry.snapshot.status === 'completed' && !isArchived(entry) && isSealed(entry.files))
      .map(({ snapshot }) => snapshot.name)
  }

  /** Whether some of its captures are read from the bucket. */
  isRemote(name: string): boolean {
    const entry = this.#entries.find(name)
    return entry?.files.some((file) => isRemote(entry, file)) ?? false
  }

  isArchived(name: string): boolean {
    return this.idOf(name) !== undefined
  }

  /** The id of a snapshot that is in the bucket. */
  idOf(name: string): string | undefined {
    const entry = this.#entries.find(name)
    return entry && isArchived(entry) ? entry.archive?.id : undefined
  }

  /** Moves a snapshot into the bucket; its files on this disk are deleted as soon as no reader holds them. */
  async publish(name: string): Promise<void> {
    if (this.#publishing.has(name) || this.isArchived(name)) return
    const abort = new AbortController()
    const work = publishSnapshot({
      objects: this.objects,
      entries: this.#entries,
      name,
      signal: abort.signal,
      sent: (bytes) => {
        this.sentBytes.hub += bytes
      },
    })
    const ended = work.catch(() => {}).finally(() => this.#publishing.delete(name))
    this.#publishing.set(name, { abort, ended })
    await work
    const entry = this.#entries.find(name)
    if (entry === undefined) return
    this.#undropped.set(name, captureBytes(entry))
    await this.dropCopies()
  }

  /** Begins an upload that the worker of a node does; after any error call `abort`. */
  grant(name: string, node: string, expectedBytes: number): Promise<GrantedUpload> {
    return GrantedUpload.begin({
      ...{ objects: this.objects, entries: this.#entries, name, node, expectedBytes },
      sent: (bytes) => {
        this.sentBytes.node += bytes
      },
    })
  }

  /** Notes why a node did not upload its part itself. It is saved with the next change. */
  noteRefusal(name: string, node: string, reason: string): void {
    const entry = this.#entries.find(name)
    const known = entry?.snapshot.nodes.find((one) => one.name === node)
    if (entry && known) this.#entries.set(name, withNode(entry, { ...known, upload_error: reason }))
  }

  /** Removes what uploads by nodes left that ended with this process, or whose end the bucket did not take. */
  async tidy(): Promise<void> {
    for (const { snapshot, archive, files } of this.#entries.all())
      if (snapshot.status === 'failed' && archive?.uploads && !archive.done)
        await tidyUploads({ objects: this.objects, entries: this.#entries, name: snapshot.name }, files)
  }

  /**
   * Uploads by nodes that ended with this process begin anew: their parts must not become those of another upload. What the bucket
   * does not remove now is removed when the snapshot is in the bucket, or has failed.
   */
  async forgetUploads(name: string): Promise<void> {
    const { archive, files } = this.#entries.get(name)
    if (archive === undefined) return
    const target = { objects: this.objects, entries: this.#entries, name }
    await noteArchive(target, { uploads: {} })
    await tidyUploads(target, files).catch(() => {})
  }

  /** Ends an upload; it can be continued. */
  async halt(name: string): Promise<void> {
    const running = this.#publishing.get(name)
    running?.abort.abort()
    await running?.ended
  }

  async close(): Promise<void> {
    await Promise.all([...this.#publishing.keys()].map((name) => this.halt(name)))
    this.objects.close()
  }

  /** Keeps the files on this disk until the result is called. */
  hold(name: string): () => void {
    this.#held.set(name, (this.#held.get(name) ?? 0) + 1)
    return () => {
      const left = (this.#held.get(name) ?? 1) - 1
      if (left > 0) this.#held.set(name, left)
      else this.#held.delete(name)
    }
  }

  /** Deletes captures on this disk that are in the bucket and that no reader holds. */
  async dropCopies(): Promise<void> {
    for (const [name, bytes] of this.#undropped) {
      const entry = this.#entries.find(name)
      if (this.#held.has(name) || entry === undefined) continue
      await this.dropFiles(name, entry)
      if (this.#undropped.delete(name)) this.#room.give(bytes)
    }
  }

  async dropFiles(name: string, { files }: Stored): Promise<void> {
    for (const top of new Set(
      files.flatMap(({ file }) => [file, `${file}.idx`].map((one) => one.split('/')[0]!)),
    ))
      await rm(join(this.#entries.path(name), top), { recursive: true, force: true })
  }

  open(entry: Stored, stored: StoredFile): Promise<RandomReader> {
    return openRemote(this.objects, entry, stored)
  }

  index(entry: Stored, stored: StoredFile): Promise<SegmentIndex | undefined> {
    return remoteIndex(this.objects, entry, stored)
  }

  moved({ snapshot }: Stored): Stored | undefined {
    const now = this.#entries.find(snapshot.name)
    return now && isArchived(now) ? now : undefined
  }

  /** Copies of the captures on this disk, for readers of files. `end` deletes them. Throws `OutOfSpace`. */
  async copies(
    name: string,
    captures: readonly SnapshotCapture[],
    { reader, parties, signal }: CopyRequest,
  ): Promise<{ readonly captures: SnapshotCapture[]; readonly read: number; end(): Promise<void> }> {
    const entry = this.#entries.get(name)
    const folder = join(this.#entries.path(name), `${reader}${COPIES}`)
    // Some may be on this disk still.
    const release = this.hold(name)
    let taken = 0
    let ended = false
    const end = async () => {
      if (!ended) release()
      ended = true
      await rm(folder, { recursive: true, force: true })
      this.#room.give(taken)
      taken = 0
    }
    try {
      await rm(folder, { recursive: true, force: true })
      let read = 0
      const remote = entry.files.filter((stored) => isRemote(entry, stored))
      for (const stored of parties === undefined ? [] : remote) {
        const path = join(folder, stored.file)
        const copied = await copyCapture(this.objects, entry, stored, {
          path,
          parties: parties ?? [],
          signal,
        })
        this.#room.take(copied)
        taken += copied
        read += copied
      }
      const moved = captures.map((capture) => ({
        ...capture,
        paths: entry.files
          .filter(({ node }) => node === capture.node)
          .map((one) => join(isRemote(entry, one) ? folder : this.#entries.path(name), one.file)),
      }))
      return { captures: moved, read, end }
    } catch (error) {
      await end()
      throw error
    }
  }

  /** The description of a snapshot changed. */
  async describe(entry: Stored): Promise<void> {
    if (isArchived(entry)) await this.objects.put(manifestKey(entry.snapshot.name), manifestOf(entry))
  }

  /** Gives the manifest another name; the old one is there until `renamed`. Throws `NameTaken`. */
  async rename(entry: Stored, to: string): Promise<Stored> {
    if (!isArchived(entry)) return entry
    const { name } = entry.snapshot
    const moved = {
      ...entry,
      snapshot: { ...entry.snapshot, name: to },
      archive: { ...entry.archive!, renamed_from: name },
    }
    try {
      await this.objects.putAfterLook(manifestKey(to), manifestOf(moved), { onlyNew: true })
    } catch (error) {
      throw error instanceof StorageProblem && error.kind === 'exists' ? new NameTaken(to) : error
    }
    return moved
  }

  async renamed(entry: Stored, to: string): Promise<void> {
    const { name } = entry.snapshot
    const undropped = this.#undropped.get(name)
    this.#undropped.delete(name)
    if (undropped !== undefined) this.#undropped.set(to, undropped)
    if (isArchived(entry)) await this.objects.remove([manifestKey(name)])
  }

  /** Takes a snapshot out of the bucket: the manifest first, so that no hub reads what is being deleted. */
  async remove(entry: Stored): Promise<void> {
    const { name } = entry.snapshot
    if (isArchived(entry)) await this.objects.remove([manifestKey(name)])
    const undropped = this.#undropped.get(name)
    this.#undropped.delete(name)
    if (undropped !== undefined) this.#room.give(undropped)
  }

  /** The objects of a snapshot that no manifest names any more. What fails is done by the next `sweep`. */
  async discard({ archive }: Stored): Promise<void> {
    if (archive === undefined) return
    this.#unused.add(archive.id)
    await this.dissections.forgetSnapshot(archive.id).catch(() => {})
    await this.sweep(0).catch(() => {})
  }

  /** Removes orphans of the bucket, see `sweepOrphans`. Returns how many. */
  async sweep(now: number): Promise<number> {
    const manifests = await this.#listing.read()
    const ids = [...manifests.values(), ...this.#entries.all()].map(({ archive }) => archive?.id)
    const used = new Set(ids.filter((id) => id !== undefined))
    const unused = new Set(this.#unused)
    const runs = new Set((await this.dissections.list()).map(({ run }) => run))
    // What an unreadable manifest or state names is not known: nothing of others is touched.
    const time = this.#listing.unreadable.length > 0 || this.dissections.hasUnreadable ? 0 : now
    const { objects } = this
    const removed = await sweepOrphans({ objects, used, runs, unused, suspects: this.#suspects, now: time })
    for (const id of unused) this.#unused.delete(id)
    return removed
  }

  /**
   * Compares with the bucket: snapshots of other hubs appear, and the names of those that others deleted are returned. A
   * snapshot of this disk keeps its name against one of the bucket.
   */
  async refresh(
    problem: (text: string) => void,
  ): Promise<{ readonly found: Stored[]; readonly gone: string[] }> {
    const manifests = await this.#listing.read()
    for (const key of this.#listing.unreadable) problem(`${key} is no manifest that this version can read`)
    const found: Stored[] = []
    for (const [name, entry] of manifests) {
      const known = this.#entries.find(name)
      if (known !== undefined) this.#compare(name, known, entry)
      else {
        try {
          await adoptFolder(this.objects, this.#entries.folder, entry)
          this.#entries.set(name, entry)
          found.push(entry)
        } catch (error) {
          problem(`snapshot "${name}": ${(error as Error).message}`)
        }
      }
    }
    const gone: string[] = []
    for (const entry of this.#entries.all()) {
      const { name } = entry.snapshot
      if (!isArchived(entry) || entry.archive?.at !== this.objects.address || manifests.has(name)) continue
      // It may have been published since the listing.
      if ((await this.objects.get(manifestKey(name), MAX_MANIFEST)) === undefined) gone.push(name)
    }
    return { found, gone }
  }

  /** Tags and notes may be those of another hub; a crash may have come before the note that it is published. */
  #compare(name: string, known: Stored, entry: Stored): void {
    if (known.archive?.id !== entry.archive?.id || this.#publishing.has(name)) return
    if (isArchived(known)) this.#entries.set(name, { ...known, snapshot: entry.snapshot })
    else {
      this.#undropped.set(name, captureBytes(known))
      this.#entries.set(name, entry)
    }
  }
}
