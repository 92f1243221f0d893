/** A shorter time gives no useful rate: a report may follow the one before at once. */
const MIN_WINDOW_MS = 500

/** Hits per second, since the report before. */
export class HitRate {
  #hits = 0
  #at: number | undefined
  #rate = 0

  /** `hits`: all so far. `now`: milliseconds. */
  update(hits: number, now: number): number {
    const since = this.#at
    if (since !== undefined && now - since < MIN_WINDOW_MS) return this.#rate
    this.#rate = since === undefined ? 0 : Math.round(((hits - this.#hits) * 10_000) / (now - since)) / 10
    this.#hits = hits
    this.#at = now
    return this.#rate
  }
}
