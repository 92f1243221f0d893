export interface RetryLimits {
  readonly firstMs: number
  readonly maxMs: number
  /** The random share of the delay, 0 to 1, so that many clients do not retry at the same moment. Default: 0. */
  readonly jitter?: number
}

/** The delay before the next attempt: doubles with each failure up to the maximum. `random` is in [0, 1]. */
export function retryDelay(
  { firstMs, maxMs, jitter = 0 }: RetryLimits,
  failures: number,
  random = Math.random(),
): number {
  const delay = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30))
  return Math.round(delay * (1 - jitter + jitter * random))
}
