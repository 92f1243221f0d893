import type { Snapshot } from '@tapdeck/recording'
import type { Log } from '../log.ts'
import type { Snapshots } from './snapshots.ts'

/** How long snapshots stay; absent: for good. */
export interface RetentionPolicy {
  readonly maxAgeMs?: number | undefined
  /** Of all snapshots with their dissections. */
  readonly maxBytes?: number | undefined
}

/** Retention never deletes a snapshot with this tag. */
const KEEP = 'keep'

/** The dissections of snapshots, as far as retention needs them. */
interface SnapshotDissections {
  list(snapshot: string): readonly { readonly size_bytes: number }[]
  isBusy(snapshot: string): boolean
  /** Removes the dissections of a snapshot, then runs `remove`. */
  forgetSnapshot(snapshot: string, remove: () => Promise<unknown>): Promise<unknown>
}

export interface RetentionOptions {
  readonly snapshots: Snapshots
  readonly dissections: SnapshotDissections
  readonly log: Log
  readonly now: () => number
}

/** Deletes snapshots that exceed the maximum age or total size, the oldest first. Snapshots in use are kept. */
export class SnapshotRetention {
  policy: RetentionPolicy
  readonly #options: RetentionOptions
  #running: Promise<void> | undefined

  constructor(options: RetentionOptions, policy: RetentionPolicy) {
    this.#options = options
    this.policy = policy
  }

  /** One at a time: a second call waits for the first. */
  sweep(): Promise<void> {
    this.#running ??= this.#sweep().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #sweep(): Promise<void> {
    const { snapshots, now, log } = this.#options
    const { maxAgeMs, maxBytes } = this.policy
    if (maxAgeMs === undefined && maxBytes === undefined) return
    const oldestFirst = snapshots.list().reverse()
    let total = oldestFirst.reduce((sum, snapshot) => sum + this.#bytes(snapshot), 0)
    for (const snapshot of oldestFirst) {
      const age = now() - Date.parse(snapshot.created_at)
      const tooOld = maxAgeMs !== undefined && age > maxAgeMs
      if (!tooOld && (maxBytes === undefined || total <= maxBytes)) continue
      if (snapshot.tags.includes(KEEP) || this.#inUse(snapshot)) continue
      const bytes = this.#bytes(snapshot)
      try {
        await this.#remove(snapshot.name)
        total -= bytes
        log.info(
          { snapshot: snapshot.name, bytes, reason: tooOld ? 'age' : 'size' },
          'deleted a snapshot: retention',
        )
      } catch (error) {
        log.warn({ snapshot: snapshot.name, err: error }, 'cannot delete a snapshot past its retention')
      }
    }
  }

  async #remove(name: string): Promise<void> {
    const { snapshots, dissections } = this.#options
    await dissections.forgetSnapshot(name, () => snapshots.remove(name, false))
  }

  #inUse({ name }: Snapshot): boolean {
    const { snapshots, dissections } = this.#options
    return snapshots.isBeingMade(name) || dissections.isBusy(name)
  }

  #bytes({ name, size_bytes }: Snapshot): number {
    return this.#options.dissections.list(name).reduce((sum, one) => sum + one.size_bytes, size_bytes)
  }
}
