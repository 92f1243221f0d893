import type { ArchivedSnapshots, SnapshotStore } from '@tapdeck/recording'
import type { Log } from '../log.ts'

export interface BucketQueueOptions {
  readonly store: SnapshotStore
  readonly archive: ArchivedSnapshots
  readonly log: Log
  readonly changed: () => void
  /** Called before a snapshot goes that another hub deleted. */
  readonly leaving: (name: string) => Promise<void>
  /** Called after snapshots were compared: what belongs to them may have changed too. */
  readonly compared: (problem: (text: string) => void) => Promise<void>
  readonly now: () => number
}

const COMPARE_EVERY_MS = 60_000
const SWEEP_EVERY_MS = 3_600_000

/**
 * Moves finished snapshots into the bucket, one after the other, and compares with it each minute. What fails stays on this
 * disk and is tried again.
 */
export class BucketQueue {
  readonly #options: BucketQueueOptions
  readonly #failures = new Map<string, { readonly reason: string; readonly at: number }>()
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #again = false
  #closed = false
  #comparedAt = Number.NEGATIVE_INFINITY
  #sweptAt = Number.NEGATIVE_INFINITY
  #reported = ''
  #isReachable = true

  constructor(options: BucketQueueOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.tick(), COMPARE_EVERY_MS)
    this.#timer.unref()
  }

  /** Where the packets of a snapshot are, and why its upload failed. */
  placeOf(name: string): { readonly location: 'local' | 's3'; readonly upload_error?: string } {
    if (this.#options.archive.isArchived(name)) return { location: 's3' }
    const failure = this.#failures.get(name)
    return { location: 'local', ...(failure && { upload_error: failure.reason }) }
  }

  /** Finished snapshots that are not in the bucket, and those of them whose last upload failed. */
  get counts(): { readonly waiting: number; readonly failed: number } {
    const waiting = this.#options.archive.waiting()
    return { waiting: waiting.length, failed: waiting.filter((name) => this.#failures.has(name)).length }
  }

  /** Whether the last comparison with the bucket could read it. */
  get isReachable(): boolean {
    return this.#isReachable
  }

  /** Bytes of captures that arrived in the bucket, by who sent them. */
  get sentBytes(): Readonly<Record<'hub' | 'node', number>> {
    return this.#options.archive.sentBytes
  }

  /** Does what there is to do; while it does, one more round is noted. */
  tick(): void {
    if (this.#closed) return
    this.#again = this.#working !== undefined
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      if (this.#again) this.tick()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#options.archive.close()
    await this.#working
  }

  async #work(): Promise<void> {
    await this.#compare()
    const { archive, now } = this.#options
    const isDue = (name: string) => now() - (this.#failures.get(name)?.at ?? 0) >= COMPARE_EVERY_MS / 2
    for (const name of archive.waiting()) if (!this.#closed && isDue(name)) await this.#publish(name)
  }

  async #publish(name: string): Promise<void> {
    const { archive, log, changed, now } = this.#options
    try {
      await archive.publish(name)
      this.#failures.delete(name)
      log.info({ snapshot: name, bucket: archive.objects.address }, 'a snapshot is in the object storage')
      changed()
    } catch (error) {
      if (this.#closed || !archive.waiting().includes(name)) return
      const reason = error instanceof Error ? error.message : String(error)
      const known = this.#failures.get(name)?.reason
      this.#failures.set(name, { reason, at: now() })
      if (known === reason) return
      log.warn(
        { snapshot: name, reason },
        'cannot upload a snapshot; it stays on this disk and is tried again',
      )
    }
  }

  async #compare(): Promise<void> {
    const { store, archive, log, leaving, compared, changed, now } = this.#options
    if (now() - this.#comparedAt < COMPARE_EVERY_MS / 2) return
    this.#comparedAt = now()
    try {
      const problems: string[] = []
      if (await store.refresh((text) => problems.push(text), leaving)) changed()
      await compared((text) => problems.push(text))
      await archive.tidy()
      if (now() - this.#sweptAt >= SWEEP_EVERY_MS) {
        this.#sweptAt = now()
        const removed = await archive.sweep(now())
        if (removed > 0) log.info({ objects: removed }, 'removed objects that no snapshot uses')
      }
      this.#isReachable = true
      this.#report(problems.slice(0, 20).join('; '))
    } catch (error) {
      this.#isReachable = false
      this.#report(error instanceof Error ? error.message : String(error))
    }
  }

  /** Once, until it is another one. */
  #report(reason: string): void {
    if (reason === this.#reported) return
    this.#reported = reason
    if (reason !== '' && !this.#closed)
      this.#options.log.warn({ reason }, 'cannot read all of the object storage')
  }
}
