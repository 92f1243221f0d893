import { type Distribution, isOptionalDistribution } from './distribution.ts'
import { isCount, isObject, isOptional, isOptionalCount, isWritable, row } from './message-values.ts'

/** What a group of calls has in common. Without `src`, a name is that of the server. */
export const statsDimensions = [
  'service',
  'workload',
  'path',
  'status',
  'proto',
  'src',
  'dst',
  'node',
  'ns',
  'time',
  'method',
  'error',
  'connection_end',
  'src_service',
  'src_workload',
  'src_node',
  'src_ns',
] as const

export type StatsDimension = (typeof statsDimensions)[number]

/** One dimension, or several separated by commas: see `partsOfGroup`. */
export type StatsGroupBy = StatsDimension | `${StatsDimension},${string}`

export interface GroupName {
  readonly group: string
  /** The namespace of a service, workload or pod that the group is named after. */
  readonly ns?: string
}

export interface StatsGroup extends GroupName {
  readonly calls: number
  readonly errors: number
  /** Of the errors, those of the capture (`captureErrors`). */
  readonly capture_errors: number
  /** Calls a second over the window that has data. */
  readonly rate: number
  readonly latency_p50_ms?: number
  readonly latency_p90_ms?: number
  readonly latency_p95_ms?: number
  readonly latency_p99_ms?: number
  readonly bytes: number
  readonly tcp_handshake_p50_us?: number
  readonly tcp_handshake_p90_us?: number
  readonly tcp_handshake_p99_us?: number
  /** Microseconds; only where `distributions` are requested. */
  readonly latencies?: Distribution
  readonly handshakes?: Distribution
  /** Only where percentiles were computed from rounded values of several indexes, or of a `profile`; exact otherwise. */
  readonly percentiles_are?: 'estimate'
  /** Only in a `profile`: Unix milliseconds of the first and the last call. */
  readonly first_ts?: number
  readonly last_ts?: number
  readonly req_bytes?: number
  readonly resp_bytes?: number
  /** Only in a `profile`: requests that never got an answer. */
  readonly unanswered?: number
  /** Only in a `profile`: how long the clients of these waited together, and the longest of them, in milliseconds. */
  readonly waited_ms?: number
  readonly waited_max_ms?: number
}

/** A worker of an earlier version does not count the errors of the capture apart. */
export const groupRow = row<StatsGroup>('a group', isGroup).transform((group) =>
  group.capture_errors === undefined ? { ...group, capture_errors: 0 } : group,
)

export const percentiles = [
  'latency_p50_ms',
  'latency_p90_ms',
  'latency_p95_ms',
  'latency_p99_ms',
  'tcp_handshake_p50_us',
  'tcp_handshake_p90_us',
  'tcp_handshake_p99_us',
] as const

function isGroup(group: unknown): boolean {
  return (
    isObject(group) &&
    typeof group.group === 'string' &&
    isOptional(group.ns, 'string') &&
    isCount(group.calls) &&
    isCount(group.errors) &&
    isOptionalCount(group.capture_errors) &&
    isCount(group.rate) &&
    isCount(group.bytes) &&
    isOptionalCount(group.unanswered) &&
    isOptionalCount(group.waited_ms) &&
    isOptionalCount(group.waited_max_ms) &&
    percentiles.every((name) => isOptionalCount(group[name])) &&
    isOptionalDistribution(group.latencies) &&
    isOptionalDistribution(group.handshakes) &&
    isWritable(group)
  )
}

/** What tells a group from others: names are of a namespace. */
export function keyOfGroup({ group, ns }: GroupName): string {
  return ns === undefined ? group : `${group}\u0000${ns}`
}
