import type { StatsGroup } from '../client/hub.ts'
import type { TimeWindow } from '../time/time-window.ts'

/** Which latency the chart draws. */
export const percentiles = ['p50', 'p90', 'p95', 'p99'] as const
export type Percentile = (typeof percentiles)[number]

type TimeGroup = Pick<StatsGroup, 'group' | 'calls' | 'errors' | 'capture_errors' | 'rate'> &
  Partial<Record<`latency_${Percentile}_ms`, number | undefined>>

/** Calls over time in buckets of one width, also of times without calls. Times in Unix seconds, as the chart wants them. */
export interface CallChartData {
  readonly widthMs: number
  /** The middle of each bucket. */
  readonly times: number[]
  readonly calls: number[]
  /** Calls that failed, without those that the capture has only in part. */
  readonly errors: number[]
  /** Milliseconds; null in a bucket without responses. */
  readonly latencies: (number | null)[]
}

const DEFAULT_WIDTH_MS = 1000
/** More than the hub returns: it bounds what a wrong width could cost. */
const MAX_BUCKETS = 2000

/** The groups of `group_by=time` as columns of a chart. Buckets in which nothing happened are not in the answer. */
export function callChartData(
  groups: readonly TimeGroup[],
  window: TimeWindow,
  percentile: Percentile,
): CallChartData {
  const widthMs = bucketWidth(groups)
  const byStart = new Map(groups.map((group) => [Date.parse(group.group), group]))
  const starts = [...byStart.keys()]
  const anchor = starts.length > 0 ? Math.min(...starts) : window.start
  const first = anchor - Math.ceil(Math.max(0, anchor - window.start) / widthMs) * widthMs
  const last = Math.max(window.end, ...starts.map((start) => start + 1))
  const data: CallChartData = { widthMs, times: [], calls: [], errors: [], latencies: [] }
  for (let start = first; start < last && data.times.length < MAX_BUCKETS; start += widthMs) {
    const group = byStart.get(start)
    data.times.push((start + widthMs / 2) / 1000)
    data.calls.push(group?.calls ?? 0)
    data.errors.push(group ? Math.max(0, group.errors - group.capture_errors) : 0)
    data.latencies.push(group?.[`latency_${percentile}_ms`] ?? null)
  }
  return data
}

/** The answer gives calls and calls a second of a bucket; all have the same width. */
function bucketWidth(groups: readonly TimeGroup[]): number {
  const busiest = groups.find(({ rate }) => rate > 0)
  return busiest ? Math.max(1, Math.round(busiest.calls / busiest.rate)) * 1000 : DEFAULT_WIDTH_MS
}
