import { type LiveCall, SkippedCalls, type SkippedSpan } from '@tapdeck/api'
import type { CallRecord } from '@tapdeck/dissect'
import type { Filter } from '@tapdeck/kfl'
import { traceContextOf } from './trace-context.ts'

/** Calls per second that one subscription delivers; more are skipped and counted. */
const MAX_CALLS_PER_SECOND = 1000
const SECOND = 1000

/** Calls, and matching calls that were left out. */
export interface Batch extends SkippedSpan {
  readonly calls: readonly LiveCall[]
}

/** One live subscription: collects the calls that match its filter until they are taken. */
export class Subscription {
  readonly #filter: Filter
  readonly #traces: boolean
  #calls: LiveCall[] = []
  readonly #skipped = new SkippedCalls()
  #second = 0
  #inSecond = 0

  /** `traces`: calls carry the trace that their headers name. */
  constructor(filter: Filter, traces = false) {
    this.#filter = filter
    this.#traces = traces
  }

  /** Returns true if the call matches. `now` is Unix milliseconds. */
  offer(call: CallRecord, now: number): boolean {
    if (!this.#filter.matches(call)) return false
    if (now - this.#second >= SECOND) {
      this.#second = now
      this.#inSecond = 0
    }
    if (this.#inSecond >= MAX_CALLS_PER_SECOND) this.#skipped.addCalls([call])
    else {
      this.#inSecond++
      const trace = this.#traces ? traceContextOf(call.req_headers) : undefined
      this.#calls.push(trace ? { ...call.compact(), trace } : call.compact())
    }
    return true
  }

  /** The calls since the last `take`; undefined if there are none. */
  take(): Batch | undefined {
    if (this.#calls.length === 0 && this.#skipped.count === 0) return undefined
    const batch = { calls: this.#calls, ...this.#skipped.take() }
    this.#calls = []
    return batch
  }
}
