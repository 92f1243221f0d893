import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '@tapdeck/api'
import { nearestNames } from '../nearest-names.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import { type DissectionRecord, readRecord, writeRecord } from './dissection-record.ts'

/**
 * The records of all dissections, in memory and on disk: a folder each below its snapshot, with the record and the
 * indexes in it. What lies there takes room from the snapshots' budget and gives it back.
 */
export class DissectionRepository {
  readonly #snapshots: Snapshots
  /** By `<snapshot>/<name>`. */
  readonly #records = new Map<string, DissectionRecord>()
  readonly #adding = new Set<string>()

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots
  }

  async load(): Promise<void> {
    for (const { name } of this.#snapshots.list()) await this.#load(name)
  }

  all(): DissectionRecord[] {
    return [...this.#records.values()]
  }

  has(key: string): boolean {
    return this.#records.has(key)
  }

  find(key: string): DissectionRecord | undefined {
    return this.#records.get(key)
  }

  /** Throws 404 with close names. */
  get(snapshot: string, name: string): DissectionRecord {
    const key = `${snapshot}/${name}`
    const found = this.#records.get(key)
    if (found) return found
    const close = nearestNames(key, this.#records.keys())
    throw new Problem(404, 'unknown_dissection', `No dissection named "${key}"`, {
      hint: close.length > 0 ? `Similar names: ${close.join(', ')}.` : 'No dissections exist.',
    })
  }

  async add(record: DissectionRecord): Promise<void> {
    const key = keyOf(record)
    this.#records.set(key, record)
    this.#adding.add(key)
    try {
      await mkdir(this.folder(record), { recursive: true, mode: 0o700 })
      await writeRecord(this.folder(record), record)
    } catch (error) {
      this.#records.delete(key)
      throw error
    } finally {
      this.#adding.delete(key)
    }
  }

  /** Adds a dissection that was made elsewhere, with what `fill` puts into its index folder, or not at all. */
  async adopt(record: DissectionRecord, fill: (indexFolder: string) => Promise<void>): Promise<void> {
    const all = join(this.folder(record), '..')
    // Not recursive: the snapshot may be gone.
    await mkdir(all, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const draft = join(all, `.fetched-${record.dissection_name}`)
    try {
      await mkdir(draft, { mode: 0o700 })
      await fill(join(draft, 'index'))
      await writeRecord(draft, record)
      if (this.has(keyOf(record))) throw new Error('the name was given to another dissection meanwhile')
      await rename(draft, this.folder(record))
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
    this.#records.set(keyOf(record), record)
    this.#snapshots.room.occupy(record.size_bytes)
  }

  /** Its files are being made: no other job may write them yet. */
  isAdding(record: DissectionRecord): boolean {
    return this.#adding.has(keyOf(record))
  }

  /** In memory alone. One that was deleted meanwhile stays deleted. */
  change(record: DissectionRecord, change: Partial<DissectionRecord>): DissectionRecord {
    const changed = { ...record, ...change }
    if (this.#records.has(keyOf(record))) this.#records.set(keyOf(record), changed)
    this.#snapshots.room.give(record.size_bytes)
    this.#snapshots.room.occupy(changed.size_bytes)
    return changed
  }

  async save(record: DissectionRecord): Promise<void> {
    if (this.#records.has(keyOf(record))) await writeRecord(this.folder(record), record)
  }

  /** Takes it off the storage and gives its room back; its files stay. */
  forget(record: DissectionRecord): void {
    if (this.#records.delete(keyOf(record))) this.#snapshots.room.give(record.size_bytes)
  }

  /** Puts it back under the new name of its snapshot, whose folder has moved already. */
  async putBack(record: DissectionRecord): Promise<void> {
    this.#records.set(keyOf(record), record)
    this.#snapshots.room.occupy(record.size_bytes)
    await writeRecord(this.folder(record), record)
  }

  async removeFiles(record: DissectionRecord): Promise<void> {
    const grave = join(this.folder(record), '..', `.removed-${record.dissection_name}`)
    await rename(this.folder(record), grave)
    await rm(grave, { recursive: true, force: true })
  }

  async removeIndexes(record: DissectionRecord): Promise<void> {
    await rm(this.indexFolder(record), { recursive: true, force: true })
  }

  async size(record: DissectionRecord): Promise<number> {
    let total = 0
    for (const entry of await readdir(this.folder(record), { recursive: true }).catch(() => [])) {
      const status = await stat(join(this.folder(record), entry)).catch(() => undefined)
      if (status?.isFile()) total += status.size
    }
    return total
  }

  folder({ snapshot_name, dissection_name }: DissectionRecord): string {
    return join(this.#snapshots.path(snapshot_name), 'dissections', dissection_name)
  }

  indexFolder(record: DissectionRecord): string {
    return join(this.folder(record), 'index')
  }

  async #load(snapshot: string): Promise<void> {
    const folder = join(this.#snapshots.path(snapshot), 'dissections')
    for (const name of await readdir(folder).catch(() => [])) {
      const record = name.startsWith('.') ? undefined : await readRecord(join(folder, name))
      if (record?.dissection_name === name) {
        // The folder names the snapshot: a crash may have come between its renaming and the note of it.
        this.#records.set(`${snapshot}/${name}`, { ...record, snapshot_name: snapshot })
        this.#snapshots.room.occupy(record.size_bytes)
      } else await rm(join(folder, name), { recursive: true, force: true })
    }
  }
}

export function keyOf({ snapshot_name, dissection_name }: DissectionRecord): string {
  return `${snapshot_name}/${dissection_name}`
}
