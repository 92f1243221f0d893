import { type CallIndex, ROWS_A_COMMIT } from '@tapdeck/index'

type Flushed = Pick<CallIndex, 'flush'>

/** The index commits by itself, in pieces that it prefers; but only a flush lets it begin another chunk. */
const CALLS = 4 * ROWS_A_COMMIT
/** What was found becomes visible to those who ask meanwhile. */
const EVERY_MS = 1000

/** Makes what is found visible about every second, and keeps what is held in memory little. */
export class FlushScheduler {
  readonly #index: Flushed
  #calls = 0
  #commits = 0
  #last = Number.NEGATIVE_INFINITY
  #flushing: Promise<void> = Promise.resolve()

  constructor(index: Flushed) {
    this.#index = index
  }

  /**
   * To be called now and then with how many calls there are. A flush goes on beside what comes next, which need not
   * wait for the disk; the one after it waits, and throws what went wrong.
   */
  async now(calls: number): Promise<void> {
    const more = calls - this.#calls
    const now = performance.now()
    const commits = Math.floor(more / ROWS_A_COMMIT)
    if (commits > this.#commits) {
      this.#commits = commits
      this.#last = now
    }
    const due = more > 0 && now - this.#last > EVERY_MS
    if (!due && more < CALLS) return
    await this.#flushing
    this.#calls = calls
    this.#commits = 0
    this.#last = performance.now()
    this.#flushing = this.#index.flush()
    // The next call rejects with it.
    this.#flushing.catch(() => undefined)
  }

  /** All that there is. */
  async end(): Promise<void> {
    await this.#flushing
    await this.#index.flush()
  }
}
