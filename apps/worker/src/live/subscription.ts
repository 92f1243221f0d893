import type { CallRecord, CompactCall } from '@tapdeck/dissect'
import type { Filter } from '@tapdeck/kfl'

/** Calls a second that one subscription carries; nobody reads more, and the rest is counted. */
const CALLS_A_SECOND = 1000
const SECOND = 1000

export interface Batch {
  readonly calls: readonly CompactCall[]
  /** Matching calls that are not in it. */
  readonly skipped: number
}

/** One live view: the calls that match its filter, collected until they are taken. */
export class Subscription {
  readonly #filter: Filter
  #calls: CompactCall[] = []
  #skipped = 0
  #second = 0
  #inSecond = 0

  constructor(filter: Filter) {
    this.#filter = filter
  }

  /** True where there is something new to take. `now` is Unix milliseconds. */
  offer(call: CallRecord, now: number): boolean {
    if (!this.#filter.matches(call)) return false
    if (now - this.#second >= SECOND) {
      this.#second = now
      this.#inSecond = 0
    }
    if (this.#inSecond >= CALLS_A_SECOND) this.#skipped++
    else {
      this.#inSecond++
      this.#calls.push(call.compact())
    }
    return true
  }

  /** What came since the last time; undefined where that is nothing. */
  take(): Batch | undefined {
    if (this.#calls.length === 0 && this.#skipped === 0) return undefined
    const batch = { calls: this.#calls, skipped: this.#skipped }
    this.#calls = []
    this.#skipped = 0
    return batch
  }
}
