/** Standard deviations from which on a change is not chance. */
const SURE_Z = 4
/** The same where the normal curve does not apply: the probability of so many failures without a change. */
const CHANCE = 0.0005
/** Terms of a sum of probabilities. */
const MAX_TERMS = 300

/**
 * Whether the part of calls that fail rose beyond chance: a test of two proportions. With few failures the normal curve
 * does not apply; then it is the probability that, without a change, so few of all failures come so early.
 */
export function hasRisen(before: number, ofBefore: number, after: number, ofAfter: number): boolean {
  if (ofBefore === 0 || ofAfter === 0) return false
  const [was, is] = [before / ofBefore, after / ofAfter]
  if (is - was < 0.01 || is < was * 1.5) return false
  const pooled = (before + after) / (ofBefore + ofAfter)
  const expected = pooled * Math.min(ofBefore, ofAfter)
  if (expected < 5) return chanceOf(before, after, ofBefore / (ofBefore + ofAfter)) < CHANCE
  const spread = Math.sqrt(pooled * (1 - pooled) * (1 / ofBefore + 1 / ofAfter))
  return spread === 0 || (is - was) / spread >= SURE_Z
}

/** The probability that at most `before` of all failures are early, if each is so with the probability `early`. */
function chanceOf(before: number, after: number, early: number): number {
  const all = before + after
  if (before <= after) return atMost(before, all, early)
  return after > MAX_TERMS ? 0 : 1 - atMost(after - 1, all, 1 - early)
}

/** Binomial distribution, from 0 up to `most`. */
function atMost(most: number, all: number, probability: number): number {
  if (most > MAX_TERMS) return 1
  let term = all * Math.log1p(-probability)
  let sum = 0
  for (let i = 0; i <= most; i++) {
    sum += Math.exp(term)
    term += Math.log((all - i) / (i + 1)) + Math.log(probability) - Math.log1p(-probability)
  }
  return sum
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

/** `1,300`. */
export function whole(count: number): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 0 })
}

/** The least share that so many of so few do prove: Wilson's bound at two standard deviations. */
export function provenShare(part: number, of: number): number {
  if (of === 0) return 0
  const [share, z] = [part / of, 2]
  const spread = z * Math.sqrt((share * (1 - share) + (z * z) / (4 * of)) / of)
  return Math.max(0, (share + (z * z) / (2 * of) - spread) / (1 + (z * z) / of))
}
