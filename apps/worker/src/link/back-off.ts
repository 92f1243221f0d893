const FIRST_MS = 250
const LONGEST_MS = 5000
const STEADY_MS = 5000

/** How long to wait before connecting again: twice as long each time, until a connection lasted. */
export class BackOff {
  #next = FIRST_MS

  /** `lastedMs` is how long the connection held; 0 where there was none. `random` is in [0, 1). */
  after(lastedMs: number, random: number): number {
    if (lastedMs >= STEADY_MS) this.#next = FIRST_MS
    const wait = this.#next
    this.#next = Math.min(LONGEST_MS, wait * 2)
    return Math.round(wait * (0.8 + 0.4 * random))
  }
}
