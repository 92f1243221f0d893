/** By lower-case spelling, without the `b` at the end. */
const FACTORS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['k', 1e3],
  ['m', 1e6],
  ['g', 1e9],
  ['t', 1e12],
  ['ki', 2 ** 10],
  ['mi', 2 ** 20],
  ['gi', 2 ** 30],
  ['ti', 2 ** 40],
])

/**
 * Whole bytes of `1500`, `64Ki`, `20G`, `1.5KiB`; undefined where the text is not a size. This is the one rule of
 * the configuration, the API, the command line and KFL:
 * - a number, then an optional unit, without a space between them;
 * - `k M G T` are powers of 1000, `Ki Mi Gi Ti` powers of 1024, and a `B` may follow; `B` alone is bytes;
 * - upper and lower case mean the same, but `m` alone is refused: it means minutes, and in Kubernetes thousandths.
 */
export function parseSize(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? []
  if (amount === undefined || unit === undefined || unit === 'm') return undefined
  const factor = FACTORS.get(unit.toLowerCase().replace(/b$/, ''))
  const bytes = factor === undefined ? Number.NaN : Math.round(Number(amount) * factor)
  return Number.isFinite(bytes) ? bytes : undefined
}
