const EVERY_MS = 60_000

/** Reports a fault that is tried again several times a second: at once when it begins, then once a minute until it is over. */
export class RepeatedFault {
  readonly #report: (what: string, error: unknown) => void
  readonly #now: () => number
  #reportedAt = Number.NEGATIVE_INFINITY
  #times = 0

  constructor(report: (what: string, error: unknown) => void, now: () => number = () => performance.now()) {
    this.#report = report
    this.#now = now
  }

  failed(what: string, error: unknown): void {
    this.#times++
    if (this.#now() - this.#reportedAt < EVERY_MS) return
    this.#report(this.#times === 1 ? what : `${what} (${this.#times} times since the last report)`, error)
    this.#reportedAt = this.#now()
    this.#times = 0
  }

  /** The next fault is a new one. */
  recovered(): void {
    this.#reportedAt = Number.NEGATIVE_INFINITY
    this.#times = 0
  }
}
