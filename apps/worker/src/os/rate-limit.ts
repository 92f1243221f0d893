/** A token bucket: a rate per second and a burst; what exceeds it is refused and counted. */
export class RateLimit {
  refused = 0
  readonly #perSecond: number
  readonly #burst: number
  #left: number
  #since: number

  /** Times are milliseconds. */
  constructor(perSecond: number, burst: number, now: number) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#left = burst
    this.#since = now
  }

  take(now: number): boolean {
    const passed = Math.max(0, now - this.#since)
    this.#left = Math.min(this.#burst, this.#left + (passed * this.#perSecond) / 1000)
    this.#since = now
    if (this.#left < 1) {
      this.refused++
      return false
    }
    this.#left--
    return true
  }
}
