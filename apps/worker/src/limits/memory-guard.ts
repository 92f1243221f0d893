import { type MemoryUse, readMemoryUse } from './memory-use.ts'

/** Shares of the limit: above the first, indexing pauses; below the second, it resumes. */
const PAUSE_ABOVE = 0.9
const RESUME_BELOW = 0.75
/** After indexing was resumed and paused again this often, it resumes more slowly each time, up to the longest wait. */
const FIRST_WAIT_MS = 30_000
const MAX_WAIT_MS = 600_000
const MIB = 1 << 20

/**
 * Decides when the worker gives up indexing so that recording survives: a container that exceeds its memory limit is killed.
 */
export class MemoryGuard {
  readonly #read: () => MemoryUse | undefined
  #pausedAt: number | undefined
  #waitMs = FIRST_WAIT_MS
  #resumedAt = Number.NEGATIVE_INFINITY
  /** Why indexing is paused; undefined: it may run. */
  reason: string | undefined

  constructor(read: () => MemoryUse | undefined = readMemoryUse) {
    this.#read = read
  }

  /** Reads the memory in use, and returns whether indexing may run. `now`: milliseconds of a steady clock. */
  mayIndex(now: number): boolean {
    const use = this.#read()
    if (use === undefined) return this.#resume(now)
    const share = use.usedBytes / use.limitBytes
    if (this.#pausedAt === undefined) {
      if (share <= PAUSE_ABOVE) return true
      // Memory that fills up soon after a resume would fill up again.
      this.#waitMs =
        now - this.#resumedAt < MAX_WAIT_MS ? Math.min(2 * this.#waitMs, MAX_WAIT_MS) : FIRST_WAIT_MS
      this.#pausedAt = now
      this.reason = `Indexing is paused: ${mib(use.usedBytes)} of ${mib(use.limitBytes)} memory are in use. Recording goes on. Raise the memory limit of the worker.`
      return false
    }
    return share < RESUME_BELOW && now - this.#pausedAt >= this.#waitMs && this.#resume(now)
  }

  #resume(now: number): true {
    this.#pausedAt = undefined
    this.#resumedAt = now
    this.reason = undefined
    return true
  }
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`
}
