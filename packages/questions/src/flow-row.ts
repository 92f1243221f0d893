import { isDistribution } from './distribution.ts'
import { handshakes } from './handshake-counts.ts'
import {
  type Fielded,
  fields,
  isCount,
  isText,
  isTime,
  names,
  optional,
  row,
  unchecked,
} from './message-values.ts'

const peer = { ip: optional(isText), port: optional(isCount), ...names }
const stats = {
  tx_pkts: isCount,
  rx_pkts: isCount,
  tx_bytes: isCount,
  rx_bytes: isCount,
  ...handshakes,
  /** Only where those of several indexes were put together; exact otherwise. */
  percentiles_are: unchecked<'estimate'>,
}

/** Of the flows of a row. */
interface TcpCounts {
  readonly retransmissions: number
  readonly out_of_order: number
  readonly zero_window: number
  readonly resets: number
  /** When the client, and the server, first offered a zero window in one of the flows. Unix milliseconds. */
  readonly client_zero_window_ts?: number
  readonly server_zero_window_ts?: number
}

const flow = {
  proto: isText,
  client: fields(peer),
  server: fields(peer),
  client_stats: fields(stats),
  server_stats: fields(stats),
  totals: fields({ pkts: isCount, bytes: isCount, pps: isCount, bps: isCount }),
  /** Sums over the flows; absent where all are 0. */
  tcp: unchecked<TcpCounts>,
  /** How many flows were added up, and from when to when. Unix milliseconds. */
  flows: isCount,
  start_ts: isTime,
  last_ts: isTime,
  /** How many of them neither peer has ended, and when these had their last packet, on average. Absent where there are none. */
  open: unchecked<number>,
  open_last_ts: unchecked<number>,
  /** Microseconds; only where `distributions` are requested. */
  handshakes: optional(isDistribution),
  /** In merged answers, which source has it; of several, the first. */
  source: unchecked<number>,
}

export interface FlowPeer extends Fielded<typeof peer> {}
export interface FlowStats extends Fielded<typeof stats> {}
export interface FlowRow extends Fielded<typeof flow> {}

export const flowRow = row<FlowRow>('a flow', fields(flow))

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
