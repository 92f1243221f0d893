import { isDistribution } from './distribution.ts'
import { handshakes } from './handshake-counts.ts'
import { type Fielded, fields, isCount, isText, optional, row, unchecked } from './message-values.ts'

const name = {
  group: isText,
  /** The namespace of a service, workload or pod that the group is named after. */
  ns: optional(isText),
}
const group = {
  ...name,
  calls: isCount,
  errors: isCount,
  /** Of the errors, those of the capture (`captureErrors`). A worker of an earlier version does not count them apart. */
  capture_errors: optional(isCount),
  /** Calls a second over the window that has data. */
  rate: isCount,
  latency_p50_ms: optional(isCount),
  latency_p90_ms: optional(isCount),
  latency_p95_ms: optional(isCount),
  latency_p99_ms: optional(isCount),
  bytes: isCount,
  ...handshakes,
  /** Microseconds; only where `distributions` are requested. */
  latencies: optional(isDistribution),
  handshakes: optional(isDistribution),
  /** Only where percentiles were computed from rounded values of several indexes, or of a `profile`; exact otherwise. */
  percentiles_are: unchecked<'estimate'>,
  /** Only in a `profile`: Unix milliseconds of the first and the last call. */
  first_ts: unchecked<number>,
  last_ts: unchecked<number>,
  req_bytes: unchecked<number>,
  resp_bytes: unchecked<number>,
  /** Only in a `profile`: requests that never got an answer. */
  unanswered: optional(isCount),
  /** Only in a `profile`: how long the clients of these waited together, and the longest of them, in milliseconds. */
  waited_ms: optional(isCount),
  waited_max_ms: optional(isCount),
}

export interface GroupName extends Fielded<typeof name> {}
export interface StatsGroup extends Fielded<typeof group> {
  readonly capture_errors: number
}

export const groupRow = row('a group', fields(group)).transform(
  (one): StatsGroup => ({
    ...one,
    capture_errors: one.capture_errors ?? 0,
  }),
)

/** What tells a group from others: names are of a namespace. */
export function keyOfGroup({ group, ns }: GroupName): string {
  return ns === undefined ? group : `${group}\u0000${ns}`
}
