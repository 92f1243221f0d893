import type { StatsGroup } from '@tapdeck/questions'

/** The figures of a group as a database gives them, latency percentiles (50, 90, 95, 99) in milliseconds. */
interface CountedGroup {
  readonly calls: unknown
  readonly errors: unknown
  readonly lost: unknown
  readonly percentiles: readonly number[]
  /** What rates are taken over, in milliseconds. */
  readonly span: number
}

type Figures = Omit<StatsGroup, 'group' | 'ns' | 'bytes'>

export function figuresOfGroup({ calls, errors, lost, percentiles, span }: CountedGroup): Figures {
  const [p50, p90, p95, p99] = percentiles
  return {
    calls: Number(calls),
    errors: Number(errors),
    capture_errors: Number(lost),
    rate: Number(calls) / Math.max(span / 1000, 1),
    ...(p50 !== undefined && {
      latency_p50_ms: p50,
      latency_p90_ms: p90,
      latency_p95_ms: p95,
      latency_p99_ms: p99,
    }),
  }
}
