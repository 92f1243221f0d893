/** Standard deviations from which on a change is not chance. */
const SURE_Z = 4

/**
 * Whether the part of calls that fail rose beyond chance: a test of two proportions. With few failures the normal curve
 * does not apply; then the failures must be several times what the rate before would give.
 */
export function hasRisen(before: number, ofBefore: number, after: number, ofAfter: number): boolean {
  if (ofBefore === 0 || ofAfter === 0) return false
  const [was, is] = [before / ofBefore, after / ofAfter]
  if (is - was < 0.01 || is < was * 1.5) return false
  const pooled = (before + after) / (ofBefore + ofAfter)
  const expected = pooled * Math.min(ofBefore, ofAfter)
  if (expected < 5) return after >= 5 && after >= 5 * Math.max(1, was * ofAfter)
  const spread = Math.sqrt(pooled * (1 - pooled) * (1 / ofBefore + 1 / ofAfter))
  return spread === 0 || (is - was) / spread >= SURE_Z
}

/** How many times as much, as a power of two; bounded. */
export function doublings(times: number): number {
  return Math.min(Math.max(Math.log2(times), 0), 5)
}

export function percent(part: number): string {
  return `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`
}

export function kilobytes(bytes: number): string {
  return bytes < 10_000 ? `${Math.round(bytes)} bytes` : `${Math.round(bytes / 1000)} kB`
}

export function perSecond(rate: number): string {
  return `${rate.toFixed(rate < 10 ? 2 : 0)}/s`
}
