/** Set by `.ci/run`: tests that try many variations try all of them, not a sample. */
const isExhaustive = process.env.TAPDECK_EXHAUSTIVE === '1'

/** How many variations a test tries: `all` in CI, otherwise the first `sample` of them. The seeds are the same. */
export function trials(all: number, sample: number): number {
  return isExhaustive ? all : Math.min(all, sample)
}
