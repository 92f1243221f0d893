const WINDOW_MS = 1000
const MAX_PROCESSES = 65_536

/** Counts the hits of each process, second by second. */
export class HitBudget {
  readonly #perSecond: number
  readonly #counts = new Map<number, number>()
  #since = 0

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Returns false once when the process exceeds its budget of this second. `now`: milliseconds. */
  take(pid: number, now: number): boolean {
    if (now - this.#since >= WINDOW_MS || this.#counts.size >= MAX_PROCESSES) {
      this.#since = now
      this.#counts.clear()
    }
    const count = (this.#counts.get(pid) ?? 0) + 1
    this.#counts.set(pid, count)
    return count !== this.#perSecond + 1
  }
}
