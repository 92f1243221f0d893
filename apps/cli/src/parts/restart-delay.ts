const first = 500
const longest = 30_000
/** A part that ran this long was well. */
const well = 60_000

/** How long to wait before a part that ended is started again: twice as long each time, until it ran well. */
export class RestartDelay {
  #next = first

  after(ranMs: number): number {
    if (ranMs >= well) this.#next = first
    const delay = this.#next
    this.#next = Math.min(longest, delay * 2)
    return delay
  }
}
