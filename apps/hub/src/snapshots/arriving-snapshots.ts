import { NameTaken, type Snapshot, type SnapshotRequest, type SnapshotStore } from '@tapdeck/recording'

/** Snapshots that are just begun, or whose bytes are being uploaded: these cannot be deleted. */
export class ArrivingSnapshots {
  readonly #store: SnapshotStore
  readonly #names = new Set<string>()

  constructor(store: SnapshotStore) {
    this.#store = store
  }

  /** Creates a snapshot that arrives until `end` is called. Throws `NameTaken`. */
  async begin(name: string, request: SnapshotRequest): Promise<Snapshot> {
    if (this.#store.get(name)) throw new NameTaken(name)
    this.#names.add(name)
    try {
      return await this.#store.create(name, request)
    } catch (error) {
      this.#names.delete(name)
      throw error
    }
  }

  /** More of a snapshot arrives. */
  resume(name: string): void {
    this.#names.add(name)
  }

  end(name: string): void {
    this.#names.delete(name)
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }
}
