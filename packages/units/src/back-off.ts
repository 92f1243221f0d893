import { type RetryLimits, retryDelay } from './retry-delay.ts'

export interface BackOffLimits extends RetryLimits {
  /** A run that lasts this long resets the delay. */
  readonly stableMs: number
}

/** The delays between the runs of something that is started again each time it ends, such as a connection. */
export class BackOff {
  readonly #limits: BackOffLimits
  #failures = 0

  constructor(limits: BackOffLimits) {
    this.#limits = limits
  }

  /** `lastedMs`: the duration of the last run; 0 if it did not start. */
  after(lastedMs: number, random?: number): number {
    if (lastedMs >= this.#limits.stableMs) this.#failures = 0
    return retryDelay(this.#limits, this.#failures++, random)
  }
}
