import type { Flow, Side } from '@tapdeck/wire'

/** The conversation that carried a call, as far as it is known when somebody looks; `local` is the call's source. */
export interface CallFlow {
  /** `open`: one side has spoken; `in_progress`: both have; `closed`: it is over. */
  readonly state: 'open' | 'in_progress' | 'closed'
  readonly local_pkts: number
  readonly local_bytes: number
  readonly remote_pkts: number
  readonly remote_bytes: number
  /** A second, over its time so far, and that at least one. */
  readonly local_pps: number
  readonly local_bps: number
  readonly remote_pps: number
  readonly remote_bps: number
  /** Protocols of its calls. */
  readonly l7_detected?: readonly string[]
  /** The same for all conversations of one client with one server port. */
  readonly group_id: number
}

/** What a flow is read from: the engine's own, or a row of an index. */
export type FlowFigures = Pick<Flow, 'transport' | 'ends' | 'start' | 'last' | 'halves'> & {
  readonly closed?: unknown
}

/** `side` is the one that the call's source stands on. */
export function callFlow(figures: FlowFigures, side: Side, protocols: readonly string[]): CallFlow {
  const { halves, start, last, closed } = figures
  const local = halves[side]
  const remote = halves[side === 0 ? 1 : 0]
  const seconds = Math.max((last - start) / 1e6, 1)
  const each = (count: number) => Math.round(count / seconds)
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
    group_id: groupOf(figures),
  }
}

/** FNV-1a over what the group has in common. */
function groupOf({ transport, ends: [client, server] }: FlowFigures): number {
  const text = `${transport} ${client.ip} ${server.ip} ${server.port}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
