const FIRST_WAIT_MS = 30_000
const MAX_WAIT_MS = 600_000

/** How long indexing stays paused: longer each time, if a limit is reached again soon after it resumed. */
export class ResumeWait {
  #pausedAt: number | undefined
  #waitMs = FIRST_WAIT_MS
  #resumedAt = Number.NEGATIVE_INFINITY

  get isPaused(): boolean {
    return this.#pausedAt !== undefined
  }

  /** `now`: milliseconds of a steady clock. */
  pause(now: number): void {
    this.#waitMs =
      now - this.#resumedAt < MAX_WAIT_MS ? Math.min(2 * this.#waitMs, MAX_WAIT_MS) : FIRST_WAIT_MS
    this.#pausedAt = now
  }

  isOver(now: number): boolean {
    return this.#pausedAt !== undefined && now - this.#pausedAt >= this.#waitMs
  }

  resume(now: number): void {
    if (this.#pausedAt === undefined) return
    this.#pausedAt = undefined
    this.#resumedAt = now
  }
}
