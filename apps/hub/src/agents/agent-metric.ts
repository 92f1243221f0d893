import type { AgentAction } from '@tapdeck/api'
import type { CompactCall } from '@tapdeck/dissect'

export type MetricDefinition = Extract<AgentAction, { kind: 'metric' }>

interface Series {
  readonly labels: Readonly<Record<string, string>>
  count: number
  sum: number
  readonly buckets: number[]
}

/** Label values come from traffic: beyond this many combinations, all others are one. */
const MAX_SERIES = 200
const OTHER = 'other'
const MAX_TEXT = 120
const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

/** One metric of one agent: a counter of calls, or a histogram of their latencies. */
export class AgentMetric {
  readonly definition: MetricDefinition
  readonly bounds: readonly number[]
  readonly #series = new Map<string, Series>()
  #folded = 0
  #samples = 0

  constructor(definition: MetricDefinition) {
    this.definition = definition
    this.bounds = definition.buckets ?? BUCKETS_MS
  }

  /** Calls that were counted as `other` because there were too many different ones. */
  get folded(): number {
    return this.#folded
  }

  get samples(): number {
    return this.#samples
  }

  get series(): Iterable<Series> {
    return this.#series.values()
  }

  add(call: CompactCall): void {
    const { type, labels } = this.definition
    if (type === 'histogram' && call.latency_ms === undefined) return
    const series = this.#find(labels.map((path) => valueAt(call, path)))
    series.count++
    this.#samples++
    if (type === 'counter') return
    const value = call.latency_ms!
    series.sum += value
    for (const [at, bound] of this.bounds.entries()) if (value <= bound) series.buckets[at]!++
  }

  #find(values: readonly string[]): Series {
    const key = JSON.stringify(values)
    const known = this.#series.get(key)
    if (known) return known
    if (this.#series.size >= MAX_SERIES && !values.every((value) => value === OTHER)) {
      this.#folded++
      return this.#find(values.map(() => OTHER))
    }
    const { labels } = this.definition
    const fresh: Series = {
      labels: Object.fromEntries(labels.map((path, at) => [path.replace('.', '_'), values[at]!])),
      count: 0,
      sum: 0,
      buckets: this.bounds.map(() => 0),
    }
    this.#series.set(key, fresh)
    return fresh
  }
}

function valueAt(call: CompactCall, path: string): string {
  let value: unknown = call
  for (const step of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[step]
  return value === undefined ? '' : String(value).slice(0, MAX_TEXT)
}
