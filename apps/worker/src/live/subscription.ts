import type { CallRecord, CompactCall } from '@tapdeck/dissect'
import type { Filter } from '@tapdeck/kfl'

/** Calls per second that one subscription delivers; more are skipped and counted. */
const MAX_CALLS_PER_SECOND = 1000
const SECOND = 1000

export interface Batch {
  readonly calls: readonly CompactCall[]
  /** Matching calls that were left out. */
  readonly skipped: number
}

/** One live subscription: collects the calls that match its filter until they are taken. */
export class Subscription {
  readonly #filter: Filter
  #calls: CompactCall[] = []
  #skipped = 0
  #second = 0
  #inSecond = 0

  constructor(filter: Filter) {
    this.#filter = filter
  }

  /** Returns true if the call matches. `now` is Unix milliseconds. */
  offer(call: CallRecord, now: number): boolean {
    if (!this.#filter.matches(call)) return false
    if (now - this.#second >= SECOND) {
      this.#second = now
      this.#inSecond = 0
    }
    if (this.#inSecond >= MAX_CALLS_PER_SECOND) this.#skipped++
    else {
      this.#inSecond++
      this.#calls.push(call.compact())
    }
    return true
  }

  /** The calls since the last `take`; undefined if there are none. */
  take(): Batch | undefined {
    if (this.#calls.length === 0 && this.#skipped === 0) return undefined
    const batch = { calls: this.#calls, skipped: this.#skipped }
    this.#calls = []
    this.#skipped = 0
    return batch
  }
}
