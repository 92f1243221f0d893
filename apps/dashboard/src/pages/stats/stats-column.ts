import { formatBytes } from '@tapdeck/units'
import type { StatsGroup } from '../../client/hub.ts'
import { count, rate } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'

/** One column of figures. `of` gives what it is sorted by; absent where the group has none. */
export interface StatsColumn {
  readonly id: string
  readonly title: string
  /** What the title leaves out. */
  readonly meaning?: string
  /** Shown only where a group has any. */
  readonly isRare?: boolean
  of(group: StatsGroup): number | undefined
  text(value: number): string
}

const microseconds = (value: number) => latency(value / 1000)
const percent = (value: number) =>
  `${value < 0.1 && value > 0 ? (value * 100).toFixed(1) : count(value * 100)} %`

/** Not what the capture missed. */
const failures = (group: StatsGroup) => group.errors - group.capture_errors

/** THE list, from left to right. */
export const statsColumns: readonly StatsColumn[] = [
  { id: 'calls', title: 'Calls', of: (group) => group.calls, text: count },
  { id: 'errors', title: 'Errors', of: failures, text: count },
  {
    id: 'error-rate',
    title: 'Error rate',
    of: (group) => (group.calls > 0 ? failures(group) / group.calls : 0),
    text: percent,
  },
  {
    id: 'partial',
    title: 'Partial',
    meaning: 'Calls of which the capture missed one message: no failure of the service',
    isRare: true,
    of: (group) => group.capture_errors,
    text: count,
  },
  { id: 'rate', title: 'Calls/s', of: (group) => group.rate, text: rate },
  { id: 'p50', title: 'p50', meaning: 'Latency, median', of: (group) => group.latency_p50_ms, text: latency },
  { id: 'p90', title: 'p90', meaning: 'Latency, p90', of: (group) => group.latency_p90_ms, text: latency },
  { id: 'p95', title: 'p95', meaning: 'Latency, p95', of: (group) => group.latency_p95_ms, text: latency },
  { id: 'p99', title: 'p99', meaning: 'Latency, p99', of: (group) => group.latency_p99_ms, text: latency },
  { id: 'bytes', title: 'Bytes', of: (group) => group.bytes, text: formatBytes },
  {
    id: 'handshake-p50',
    title: 'Handshake p50',
    meaning: 'Time to complete the TCP handshake, median',
    of: (group) => group.tcp_handshake_p50_us,
    text: microseconds,
  },
  {
    id: 'handshake-p90',
    title: 'p90',
    meaning: 'Time to complete the TCP handshake, p90',
    of: (group) => group.tcp_handshake_p90_us,
    text: microseconds,
  },
  {
    id: 'handshake-p99',
    title: 'p99',
    meaning: 'Time to complete the TCP handshake, p99',
    of: (group) => group.tcp_handshake_p99_us,
    text: microseconds,
  },
]

/** Those worth showing of these groups. */
export function columnsFor(groups: readonly StatsGroup[]): readonly StatsColumn[] {
  return statsColumns.filter((column) => !column.isRare || groups.some((group) => column.of(group)))
}

/** The largest first; groups without the figure last. Groups that are equal keep their order. */
export function sortedBy(groups: readonly StatsGroup[], column: StatsColumn): readonly StatsGroup[] {
  const figure = (group: StatsGroup) => column.of(group) ?? Number.NEGATIVE_INFINITY
  return [...groups].sort((a, b) => (figure(b) > figure(a) ? 1 : figure(b) < figure(a) ? -1 : 0))
}
