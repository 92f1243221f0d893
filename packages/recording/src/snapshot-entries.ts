import { join } from 'node:path'
import { writeDurably } from './durable-file.ts'
import type { Snapshot } from './snapshot.ts'
import { META, type Stored } from './stored-snapshot.ts'

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

export function isSnapshotName(name: string): boolean {
  return NAME.test(name)
}

/** What is known of all snapshots of a folder, in memory and in their `snapshot.json`. */
export class SnapshotEntries {
  readonly folder: string
  readonly #entries = new Map<string, Stored>()
  readonly #saving = new Map<string, Promise<void>>()

  constructor(folder: string) {
    this.folder = folder
  }

  path(name: string): string {
    if (!isSnapshotName(name)) throw new RangeError(`"${name}" is no name of a snapshot`)
    return join(this.folder, name)
  }

  all(): Stored[] {
    return [...this.#entries.values()]
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  find(name: string): Stored | undefined {
    return this.#entries.get(name)
  }

  get(name: string): Stored {
    const entry = this.#entries.get(name)
    if (entry === undefined) throw new RangeError(`there is no snapshot "${name}"`)
    return entry
  }

  set(name: string, entry: Stored): void {
    this.#entries.set(name, entry)
  }

  delete(name: string): void {
    this.#entries.delete(name)
  }

  /** Saves one after the other, so that the newest state is kept; `ahead` is written first. */
  save(name: string, ahead?: Partial<Snapshot>): Promise<void> {
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

  /** Resolves when nothing of a snapshot is being written. */
  async settled(name: string): Promise<void> {
    await this.#saving.get(name)?.catch(() => {})
  }
}
