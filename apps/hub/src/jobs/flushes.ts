import type { CallIndex } from '@tapdeck/index'

type Flushed = Pick<CallIndex, 'flush'>

/** Fewer than the index commits by itself, which would then leave a few to be committed here. */
const CALLS = 40_960
/** What was found becomes visible to those who ask meanwhile. */
const EVERY_MS = 1000

/** Makes what is found visible about every second, and keeps what is held in memory little. */
export class Flushes {
  readonly #index: Flushed
  #calls = 0
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
    const due = calls > this.#calls && performance.now() - this.#last > EVERY_MS
    if (!due && calls - this.#calls < CALLS) return
    await this.#flushing
    this.#calls = calls
    this.#last = performance.now()
    this.#flushing = this.#index.flush()
    // Told to whoever comes next.
    this.#flushing.catch(() => undefined)
  }

  /** All that there is. */
  async end(): Promise<void> {
    await this.#flushing
    await this.#index.flush()
  }
}
