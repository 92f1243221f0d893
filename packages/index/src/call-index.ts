import type { Call, CallRecord, Peers } from '@tapdeck/dissect'
import type { CatalogField, Filter } from '@tapdeck/kfl'
import type { Flow, Loss } from '@tapdeck/wire'
import type { Distribution } from './distribution.ts'
import type { HandshakeCounts, HandshakePercentiles } from './handshake-counts.ts'
import type { Ownership } from './ownership.ts'

export type { Peers }

export interface TimeWindow {
  /** Unix milliseconds, inclusive. */
  readonly start?: number
  readonly end?: number
}

export interface CallQuery extends TimeWindow {
  readonly filter: Filter
  readonly limit: number
  /** `newest` first is what people want. */
  readonly order: 'newest' | 'oldest'
  /** From the page before; opaque to callers. */
  readonly cursor?: string
  /** Whether the calls are to know what has become of their flows. */
  readonly flows?: boolean
}

/**
 * A page may end before its limit, even empty, and still have a cursor: where a filter needs payloads, only so many
 * candidates are read for one answer.
 */
export interface CallPage {
  readonly calls: readonly CallRecord[]
  /** One a call: where a page that continues after it begins. They let pages of several nodes be merged. */
  readonly cursors: readonly string[]
  readonly total: number
  readonly total_is: 'exact' | 'at_least' | 'estimate'
  readonly next_cursor?: string
}

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

export interface StatsQuery extends TimeWindow {
  readonly filter: Filter
  readonly group_by: StatsGroupBy
  readonly limit: number
  /**
   * What rates and time buckets follow from, in Unix milliseconds: the oldest and newest call of all indexes whose groups are
   * put together, or the window of a chart; absent: the calls of this index.
   */
  readonly span?: { readonly from: number; readonly to: number }
  /** Only groups with at least so many calls. */
  readonly at_least?: number
  /** Only these groups. */
  readonly only?: readonly GroupName[]
  /** Each group carries its latencies, so that percentiles of several indexes can be computed. */
  readonly distributions?: boolean
  /** Of several dimensions with `time`, into how many parts at most the time is cut. */
  readonly buckets?: number
  /**
   * With `first_ts`, `last_ts`, sizes and unanswered calls. Percentiles are estimates (within 2 %), so that the number of
   * calls is not bounded; there are none of handshakes.
   */
  readonly profile?: boolean
  /** Latency percentiles count a call without a response by the time that its client waited. */
  readonly waits?: boolean
}

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

export interface StatsPage {
  readonly groups: readonly StatsGroup[]
  /** Unix milliseconds from which on calls were counted, where payloads decide and there were more than could be read. */
  readonly counted_from_ts?: number
}

/** The values that a field has had: suggestions for a filter. */
export interface ValuesQuery extends TimeWindow {
  readonly field: CatalogField
  /** Of a map, which of its entries. */
  readonly key?: string
  /** Only values with this in them, in any case. */
  readonly prefix: string
  /** Only in calls that match. */
  readonly filter: Filter
  readonly limit: number
  /** Only values of at least so many calls. */
  readonly at_least?: number
  /** Only these values, as text. */
  readonly only?: readonly string[]
}

export interface ObservedValue {
  readonly value: string | number | boolean
  readonly calls: number
}

export interface FlowQuery extends TimeWindow {
  readonly aggregate?: 'pod' | 'service' | 'namespace' | 'node'
  readonly l4proto?: string
  readonly ip?: string
  readonly ns?: string
  readonly pod?: string
  readonly svc?: string
  /** Only flows with an end in one of these namespaces count at all; for callers who may see no others. */
  readonly within?: readonly string[]
  /** Only flows that this node reports. */
  readonly owners?: Ownership
  readonly limit: number
  readonly order: 'bytes' | 'packets' | 'newest' | 'key'
  /** Only rows with at least so many bytes or packets, or so new (Unix milliseconds), by `order`. */
  readonly at_least?: number
  /** Only rows whose `keyOfFlow` is greater, compared by bytes: the next page in the order `key`. `total` counts these rows. */
  readonly after?: string
  /** Only these rows, by `keyOfFlow`. */
  readonly only?: readonly string[]
  /** Each row carries its handshakes, so that percentiles of several indexes can be computed. */
  readonly distributions?: boolean
  /** Hashes of the keys of all rows, to count them over several indexes. */
  readonly hashes?: boolean
}

export interface FlowPeer {
  readonly ip?: string
  readonly port?: number
  readonly pod?: string
  readonly ns?: string
  readonly svc?: string
  readonly node?: string
}

export interface FlowStats extends HandshakePercentiles {
  readonly tx_pkts: number
  readonly rx_pkts: number
  readonly tx_bytes: number
  readonly rx_bytes: number
  /** Only where those of several indexes were put together; exact otherwise. */
  readonly percentiles_are?: 'estimate'
}

export interface FlowRow {
  readonly proto: string
  readonly client: FlowPeer
  readonly server: FlowPeer
  readonly client_stats: FlowStats
  readonly server_stats: FlowStats
  readonly totals: {
    readonly pkts: number
    readonly bytes: number
    readonly pps: number
    readonly bps: number
  }
  /** Sums over the flows; absent where all are 0. */
  readonly tcp?: {
    readonly retransmissions: number
    readonly out_of_order: number
    readonly zero_window: number
    readonly resets: number
    /** When the client, and the server, first offered a zero window in one of the flows. Unix milliseconds. */
    readonly client_zero_window_ts?: number
    readonly server_zero_window_ts?: number
  }
  /** How many flows were added up, and from when to when. Unix milliseconds. */
  readonly flows: number
  readonly start_ts: number
  readonly last_ts: number
  /** How many of them neither peer has ended, and when these had their last packet, on average. Absent where there are none. */
  readonly open?: number
  readonly open_last_ts?: number
  /** Microseconds; only where `distributions` are requested. */
  readonly handshakes?: Distribution
  /** In merged answers, which source has it; of several, the first. */
  readonly source?: number
}

export interface FlowPage {
  readonly flows: readonly FlowRow[]
  readonly total: number
  /** Only where requested, and where there are not too many. */
  readonly hashes?: readonly number[]
}

export interface IndexSummary {
  readonly calls: number
  readonly flows: number
  /** Unix milliseconds of the oldest and newest call; null before any. */
  readonly oldest_ts: number | null
  readonly newest_ts: number | null
  readonly size_bytes: number
  readonly by_protocol: Readonly<Record<string, number>>
}

/** When a call began, in microseconds, and between whom: what tells it from others however its packets were read. */
export interface CallStart {
  readonly time: number
  readonly src: { readonly ip: string; readonly port: number }
  readonly dst: { readonly ip: string; readonly port: number }
}

/**
 * The queryable calls and flows of one database: a live node or one dissection. One interface, several engines.
 * One writer appends; readers never block it. What was flushed survives a crash.
 */
export interface CallIndex {
  /** What could not be written since it was opened: a full disk costs payloads first, then calls. */
  readonly loss: Loss
  /** Calls up to this time (Unix milliseconds) were deleted since it was opened, because of `maxBytes`. 0: none. */
  readonly deletedUntil: number
  /** Takes a call on the hot path; it becomes visible to queries at the next flush. Throws only when closed. */
  append(call: Call, peers: Peers): void
  /**
   * Takes a flow when it closes (or its latest state, again, while it is open); the client's peer first. The flow of a
   * call is known without this; its object is kept, and its counters read, until it was given here closed.
   */
  appendFlow(flow: Flow, peers: Peers): void
  /**
   * Makes all that was appended visible and durable; throws where it could not, and tries again the next time. To be awaited every second or so, and every some 10,000 calls:
   * between two flushes chunks cannot change, and what is not given way to cannot be compressed.
   */
  flush(): Promise<void>
  calls(query: CallQuery): Promise<CallPage>
  call(id: string): Promise<CallRecord | undefined>
  /** How many calls match, for explaining empty answers; where payloads decide, among the newest candidates only. */
  count(filter: Filter, window: TimeWindow): Promise<number>
  stats(query: StatsQuery): Promise<StatsPage>
  /** The most frequent values of a field among the newest calls, as far as a bound allows. */
  values(query: ValuesQuery): Promise<readonly ObservedValue[]>
  flows(query: FlowQuery): Promise<FlowPage>
  summary(): Promise<IndexSummary>
  /** The calls that began in `[from, to)`, in microseconds, for a caller that must not append one twice. */
  starts(from: number, to: number): Promise<readonly CallStart[]>
  /** For `mergeHandshakes`, where this index is a part of something larger. */
  handshakeCounts(): Promise<HandshakeCounts>
  /** From now on its calls tell these percentiles of their destinations, and filters ask them: not those of this index alone. */
  adoptHandshakes(percentiles: ReadonlyMap<string, HandshakePercentiles>): void
  close(): Promise<void>
  /**
   * Closes it before it is deleted: nothing more is written, finished or made durable, and queries that run
   * are broken off and fail.
   */
  abandon(): Promise<void>
  /** Frees caches. No query may run meanwhile. */
  release(): Promise<void>
}

export interface IndexOptions {
  /** Stamped on every call and in its id. */
  readonly node: string
  readonly captureSource: string
  /** Whole chunks of the oldest data are dropped above this. 0: no bound. */
  readonly maxBytes: number
  /** Memory ceiling of the query engine in bytes. */
  readonly memory: number
  /** Address of the node, where it is known. */
  readonly nodeIp?: string
  /** Unix milliseconds from which on the packets of calls are kept; absent: not known. */
  readonly packetsSince?: () => number | undefined
  readonly readOnly?: boolean
}
