/** How fast a growing counter grows, smoothed over a few seconds. */
export class RateMeter {
  #total: number | undefined
  #at = 0
  #rate: number | undefined

  /** Takes the counter at a time in milliseconds; gives its rate a second once there are two readings. */
  read(total: number, at: number): number | undefined {
    const before = this.#total
    const elapsed = (at - this.#at) / 1000
    this.#total = total
    this.#at = at
    // A counter that fell belongs to a process that began anew.
    if (before === undefined || elapsed <= 0 || total < before) {
      this.#rate = undefined
      return undefined
    }
    const now = (total - before) / elapsed
    const weight = 1 - Math.exp(-elapsed / 2)
    this.#rate = this.#rate === undefined ? now : this.#rate + (now - this.#rate) * weight
    if (this.#rate < 0.05) this.#rate = 0
    return this.#rate
  }
}
