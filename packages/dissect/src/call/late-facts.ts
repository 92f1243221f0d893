import type { Flow, Side, TcpMetrics } from '@tapdeck/wire'
import type { Delivery } from '../contract/call.ts'

/** What becomes known of a connection after its calls were emitted. */
export type LateFacts = Pick<Flow, 'unacked' | 'resent'>

/** When a call was seen, in milliseconds. */
export interface TimedCall {
  readonly ts: number
  readonly latency_ms?: number | undefined
}

/** `side`: that of the call's source. Undefined where nothing says that the response did not arrive. */
export function deliveryOf(call: TimedCall, { unacked }: LateFacts, side: Side): Delivery | undefined {
  if (unacked === undefined) return undefined
  const since = unacked[side === 0 ? 1 : 0]
  const last = lastByteOf(call)
  return since !== undefined && last !== undefined && last >= since ? 'unacknowledged' : undefined
}

/** The figures of a connection at the time of a call, and what was sent again of its response since then. */
export function withLateResends(
  tcp: TcpMetrics,
  call: TimedCall,
  { resent }: LateFacts,
  side: Side,
): TcpMetrics {
  const last = lastByteOf(call)
  if (resent === undefined || last === undefined) return tcp
  const first = microseconds(call.ts)
  let more = 0
  for (const one of resent)
    if (one.side !== side && one.sent >= first && one.sent <= last && one.time > last) more += one.count
  return more === 0 ? tcp : { ...tcp, retransmissions: tcp.retransmissions + more }
}

/** Of the response, in microseconds. */
function lastByteOf({ ts, latency_ms }: TimedCall): number | undefined {
  return latency_ms === undefined ? undefined : microseconds(ts + latency_ms)
}

function microseconds(ms: number): number {
  return Math.round(ms * 1000)
}
