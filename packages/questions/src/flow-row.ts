import { type Distribution, isOptionalDistribution } from './distribution.ts'
import type { HandshakePercentiles } from './handshake-counts.ts'
import {
  isCount,
  isNamed,
  isObject,
  isOptional,
  isOptionalCount,
  isTime,
  isWritable,
  row,
} from './message-values.ts'
import { percentiles } from './stats-group.ts'

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

export const flowRow = row<FlowRow>('a flow', isFlow)

function isFlow(flow: unknown): boolean {
  return (
    isObject(flow) &&
    typeof flow.proto === 'string' &&
    isPeer(flow.client) &&
    isPeer(flow.server) &&
    isFlowStats(flow.client_stats) &&
    isFlowStats(flow.server_stats) &&
    isTotals(flow.totals) &&
    isCount(flow.flows) &&
    isTime(flow.start_ts) &&
    isTime(flow.last_ts) &&
    isOptionalDistribution(flow.handshakes) &&
    isWritable(flow)
  )
}

function isPeer(end: unknown): boolean {
  return isObject(end) && isOptional(end.ip, 'string') && isOptionalCount(end.port) && isNamed(end)
}

function isFlowStats(stats: unknown): boolean {
  return (
    isObject(stats) &&
    isCount(stats.tx_pkts) &&
    isCount(stats.rx_pkts) &&
    isCount(stats.tx_bytes) &&
    isCount(stats.rx_bytes) &&
    percentiles.every((name) => isOptionalCount(stats[name]))
  )
}

function isTotals(totals: unknown): boolean {
  return (
    isObject(totals) &&
    isCount(totals.pkts) &&
    isCount(totals.bytes) &&
    isCount(totals.pps) &&
    isCount(totals.bps)
  )
}

/** By what flows are combined. */
export const flowViews = ['pod', 'service', 'namespace', 'node'] as const

export type FlowView = (typeof flowViews)[number] | 'address'

/** What tells rows apart in each view. Other names of a peer may differ from flow to flow. */
const keys: Readonly<Record<FlowView, readonly (keyof FlowPeer)[]>> = {
  address: ['ip'],
  pod: ['pod', 'ns', 'ip'],
  service: ['svc', 'ns', 'ip'],
  namespace: ['ns'],
  node: ['node'],
}

/** What identifies a row among those of the same view, over several indexes. */
export function keyOfFlow({ proto, client, server }: FlowRow, view: FlowView): string {
  const ends = [client, server].flatMap((end) => keys[view].map((name) => end[name] ?? ''))
  return [proto, ...ends, ...(view === 'address' ? [server.port ?? ''] : [])].join('\u001f')
}
