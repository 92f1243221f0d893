import type { SnapshotStore } from '@tapdeck/recording'
import type { Log } from '../log.ts'

/** Takes the checksums of snapshots that were linked, one snapshot after the other, in the background. */
export class ChecksumQueue {
  readonly #store: SnapshotStore
  readonly #log: Log
  readonly #changed: () => void
  readonly #stopped = new AbortController()
  #last: Promise<void> = Promise.resolve()

  constructor(store: SnapshotStore, log: Log, changed: () => void) {
    this.#store = store
    this.#log = log
    this.#changed = changed
    // Those that an earlier run did not come to.
    for (const { name, status, verified } of store.list())
      if (status === 'completed' && !verified) this.add(name)
  }

  add(name: string): void {
    this.#last = this.#last.then(() => this.#seal(name))
  }

  async close(): Promise<void> {
    this.#stopped.abort()
    await this.#last
  }

  async #seal(name: string): Promise<void> {
    if (this.#stopped.signal.aborted) return
    try {
      await this.#store.seal(name, this.#stopped.signal)
      this.#changed()
    } catch (error) {
      if (!this.#stopped.signal.aborted)
        this.#log.warn({ snapshot: name, err: error }, 'cannot compute the checksums of a snapshot')
    }
  }
}
