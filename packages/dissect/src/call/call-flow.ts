import type { Flow, Side } from '@tapdeck/wire'
import type { CallFlow } from '../contract/call.ts'

/** Counters of a flow: from the engine, or from a row of an index. */
export type FlowCounters = Pick<Flow, 'transport' | 'ends' | 'start' | 'last' | 'directions'> & {
  readonly closed?: unknown
}

/** `side` is the side of the call's source. */
export function callFlow(counters: FlowCounters, side: Side, protocols: readonly string[]): CallFlow {
  const { directions, start, last, closed } = counters
  const local = directions[side]
  const remote = directions[side === 0 ? 1 : 0]
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
    group_id: groupOf(counters),
  }
}

/** FNV-1a over transport, addresses and server port. */
function groupOf({ transport, ends: [client, server] }: FlowCounters): number {
  const text = `${transport} ${client.ip} ${server.ip} ${server.port}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
