import type { Flow, Side, TcpMetrics } from '@tapdeck/wire'
import type { CallFlow, FlowMoment } from '../contract/call.ts'

/** Counters of a flow: from the engine, or from a row of an index. */
export type FlowCounters = Pick<Flow, 'transport' | 'ends' | 'start' | 'last' | 'directions'> & {
  readonly closed?: unknown
  readonly tcp?: FlowMoments | undefined
}

/** When each end first did what is worth a moment, in microseconds from the start of the flow on. */
export type FlowMoments = Pick<
  TcpMetrics,
  | 'client_zero_window_us'
  | 'server_zero_window_us'
  | 'client_fin_us'
  | 'server_fin_us'
  | 'client_reset_us'
  | 'server_reset_us'
>

/** `side` is the side of the call's source. */
export function callFlow(counters: FlowCounters, side: Side, protocols: readonly string[]): CallFlow {
  const { directions, start, last, closed } = counters
  const local = directions[side]
  const remote = directions[side === 0 ? 1 : 0]
  const seconds = Math.max((last - start) / 1e6, 1)
  const each = (count: number) => Math.round(count / seconds)
  const moments = momentsOf(counters, side)
  const answered = local.packets > 0 && remote.packets > 0
  return {
    state: closed !== undefined && closed !== null ? 'closed' : answered ? 'in_progress' : 'open',
    local_pkts: local.packets,
    local_bytes: local.bytes,
    remote_pkts: remote.packets,
    remote_bytes: remote.bytes,
    local_pps: each(local.packets),
    local_bps: each(local.bytes),
    remote_pps: each(remote.packets),
    remote_bps: each(remote.bytes),
    ...(protocols.length > 0 && { l7_detected: protocols }),
    group_id: groupOf(counters),
    ...(moments.length > 0 && { moments }),
  }
}

function momentsOf({ tcp, start }: FlowCounters, side: Side): FlowMoment[] {
  if (tcp === undefined) return []
  const [client, server] = side === 0 ? (['src', 'dst'] as const) : (['dst', 'src'] as const)
  const at = (what: FlowMoment['what'], by: FlowMoment['by'], after: number | undefined) =>
    after === undefined ? [] : { ts: (start + after) / 1000, what, by }
  return [
    at('zero_window', client, tcp.client_zero_window_us),
    at('zero_window', server, tcp.server_zero_window_us),
    at('fin', client, tcp.client_fin_us),
    at('fin', server, tcp.server_fin_us),
    at('reset', client, tcp.client_reset_us),
    at('reset', server, tcp.server_reset_us),
  ]
    .flat()
    .sort((a, b) => a.ts - b.ts)
}

/** FNV-1a over transport, addresses and server port. */
function groupOf({ transport, ends: [client, server] }: FlowCounters): number {
  const text = `${transport} ${client.ip} ${server.ip} ${server.port}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
