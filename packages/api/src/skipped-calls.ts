/** Calls that a live reader does not get, and the time that they are of. Unix milliseconds. */
export interface SkippedSpan {
  readonly skipped: number
  /** Absent: the time is not known, or nothing was skipped. */
  readonly from?: number
  readonly to?: number
}

/** Sums up the calls that are left out of a live stream on one leg of their way, until that is reported to the reader. */
export class SkippedCalls {
  #count = 0
  #from = Number.POSITIVE_INFINITY
  #to = Number.NEGATIVE_INFINITY

  get count(): number {
    return this.#count
  }

  add({ skipped, from, to }: SkippedSpan): void {
    this.#count += skipped
    if (from !== undefined) this.#from = Math.min(this.#from, from)
    if (to !== undefined) this.#to = Math.max(this.#to, to)
  }

  /** `calls`: those that are left out. */
  addCalls(calls: readonly { readonly ts: number }[]): void {
    this.#count += calls.length
    for (const { ts } of calls) {
      this.#from = Math.min(this.#from, ts)
      this.#to = Math.max(this.#to, ts)
    }
  }

  /** What was left out since the last `take`. */
  take(): SkippedSpan {
    const span = this.#from <= this.#to ? { from: this.#from, to: this.#to } : {}
    const taken = { skipped: this.#count, ...span }
    this.#count = 0
    this.#from = Number.POSITIVE_INFINITY
    this.#to = Number.NEGATIVE_INFINITY
    return taken
  }
}
