import { isCount, isObject } from './message-values.ts'

/** Values in ascending order and how often each occurred. Plain data: it can be sent to another thread or node. */
export interface Distribution {
  readonly values: readonly (readonly [value: number, count: number])[]
  /** Values of large groups are rounded, see `Precision`. */
  readonly rounded?: true
}

export function isDistribution(given: unknown): given is Distribution {
  return (
    isObject(given) &&
    Array.isArray(given.values) &&
    given.values.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isCount))
  )
}

/** How many values of a group are kept as they are, and how many leading bits of the others. */
export interface Precision {
  readonly exact: number
  readonly bits: number
}

/** 100 groups of 256 exact values, or 1000 groups of 32, keep an answer below some 100,000 values. */
export function precisionFor(groups: number): Precision {
  return groups <= 100 ? { exact: 256, bits: 7 } : { exact: 32, bits: 5 }
}

export function addDistributions(all: readonly Distribution[]): Distribution {
  const counts = new Map<number, number>()
  for (const { values } of all)
    for (const [value, count] of values) counts.set(value, (counts.get(value) ?? 0) + count)
  return {
    values: [...counts].sort(([a], [b]) => a - b),
    ...(all.some(({ rounded }) => rounded) && { rounded: true as const }),
  }
}

/** The value at this part of 1, interpolated between neighbours like `quantile_cont`. Undefined without values. */
export function continuousQuantile({ values }: Distribution, part: number): number | undefined {
  const total = totalOf(values)
  if (total === 0) return undefined
  const place = (total - 1) * part
  const [low, high] = [valueAt(values, Math.floor(place) + 1), valueAt(values, Math.ceil(place) + 1)]
  return low + (high - low) * (place - Math.floor(place))
}

/** The value at this part of 1, one that occurred, like `quantile_disc`. Undefined without values. */
export function discreteQuantile({ values }: Distribution, part: number): number | undefined {
  const total = totalOf(values)
  return total === 0 ? undefined : valueAt(values, total - Math.floor(total - part * total))
}

function totalOf(values: Distribution['values']): number {
  return values.reduce((sum, [, count]) => sum + count, 0)
}

/** The value of this rank, from 1 on. */
function valueAt(values: Distribution['values'], rank: number): number {
  let seen = 0
  for (const [value, count] of values) {
    seen += count
    if (seen >= rank) return value
  }
  return values.at(-1)?.[0] ?? 0
}
