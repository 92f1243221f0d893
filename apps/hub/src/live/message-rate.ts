/** Messages of one session: so many at once, and so many a second from then on. A person types slower. */
const MAX_BURST = 20
const MAX_A_SECOND = 5
/** A session that goes on in spite of this many refusals is closed. */
const MAX_REFUSED = 200

/** Bounds how often a session sends something, before any of it is read. */
export class MessageRate {
  #left = MAX_BURST
  #at: number
  #refused = 0
  #reported = false

  constructor(now: number) {
    this.#at = now
  }

  /** `report`: refused, and the sender has to learn of it; `close`: it does not stop. */
  take(now: number): 'accept' | 'report' | 'refuse' | 'close' {
    this.#left = Math.min(MAX_BURST, this.#left + ((now - this.#at) / 1000) * MAX_A_SECOND)
    this.#at = now
    if (this.#left >= 1) {
      this.#left--
      this.#refused = 0
      this.#reported = false
      return 'accept'
    }
    if (++this.#refused > MAX_REFUSED) return 'close'
    if (this.#reported) return 'refuse'
    this.#reported = true
    return 'report'
  }

  static readonly limit = MAX_A_SECOND
}
