import type { Flow } from '@tapdeck/wire'
import type { Call } from '../../contract/call.ts'
import type { FieldValue, Message } from '../../contract/message.ts'

/** Of `TcpMetrics.completeness`. */
const SYN = 1

/** The single call of a flow without a detected protocol: first bytes, end, and error. */
export function unrecognised(
  flow: Flow,
  samples: readonly [Uint8Array | undefined, Uint8Array | undefined],
  failure: string | undefined,
): Call {
  const fields: { [name: string]: FieldValue } = {}
  if (flow.closed !== undefined) fields.closed = flow.closed
  if (flow.closedBy !== undefined) fields.closed_by = flow.closedBy === 0 ? 'client' : 'server'
  const error = failure ?? badEnd(flow)
  if (error !== undefined) fields.error = error
  const request: Message = { ...direction(flow, 0, samples[0]), kind: 'event', fields }
  return {
    flow,
    ordinal: 0,
    protocol: flow.transport,
    side: 0,
    start: flow.start,
    end: flow.last,
    request,
    ...(flow.directions[1].goodput > 0 || samples[1] !== undefined
      ? { response: { ...direction(flow, 1, samples[1]), kind: 'response' } }
      : {}),
    summary: error === undefined ? {} : { failure: error },
  }
}

/** How a connection ended, if a user would call that a failure. */
export function badEnd(flow: Flow): string | undefined {
  const { closed, transport } = flow
  if (closed === 'refused' || closed === 'reset') return closed
  if (transport !== 'tcp' || closed === 'fin') return undefined
  // Repeated SYN without an answer: a firewall, or no such host.
  const { tcp } = flow
  return tcp?.completeness === SYN && tcp.retransmissions > 0 ? 'no_response' : undefined
}

function direction(flow: Flow, side: 0 | 1, sample: Uint8Array | undefined): Omit<Message, 'kind'> {
  const { bytes, goodput } = flow.directions[side]
  return {
    ...(sample === undefined ? {} : { body: sample }),
    ...(goodput > (sample?.length ?? 0) ? { bodySize: goodput, truncated: true } : {}),
    size: bytes,
    start: flow.start,
    end: flow.last,
  }
}
