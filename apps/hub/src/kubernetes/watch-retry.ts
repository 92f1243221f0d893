import { retryDelay } from '@tapdeck/units'

/** With jitter: several hubs do not come back all at once. */
const RETRY = { firstMs: 500, maxMs: 30_000, jitter: 0.5 }
/** The longest wait after a watch that the server closed properly. */
const CLOSED_WAIT_MS = 2000

/** `closed`: a watch ended properly without a change. `expired`: its version is too old. */
export type WatchEnd = 'closed' | 'expired' | 'refused' | 'away'

/** How long to wait before the next request of a watch. */
export class WatchRetry {
  readonly #refusedMs: number
  #last: WatchEnd | undefined
  #count = 0

  /** `refusedMs`: the longest wait after a refusal. */
  constructor(refusedMs: number) {
    this.#refusedMs = refusedMs
  }

  /** A change arrived. */
  reset(): void {
    this.#last = undefined
  }

  /**
   * Waits grow only while the reason is the same: an API server that was away refuses everything until it has read the roles,
   * and that is over in a second.
   */
  waitAfter(end: WatchEnd): number {
    this.#count = end === this.#last ? this.#count + 1 : 0
    this.#last = end
    if (end === 'refused') return retryDelay({ ...RETRY, maxMs: this.#refusedMs }, this.#count)
    if (end === 'closed') return Math.min(retryDelay(RETRY, this.#count + 1), CLOSED_WAIT_MS)
    // The first list of a version that expired need not wait.
    return end === 'expired' && this.#count === 0 ? 0 : retryDelay(RETRY, this.#count)
  }
}
