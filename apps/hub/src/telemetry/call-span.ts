import { createHash } from 'node:crypto'
import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { LiveCall, TraceContext } from '@tapdeck/api'
import { version } from '../version.ts'
import { callAttributes, isFailed, spanName } from './call-attributes.ts'

const scope = { name: 'tapdeck', version }

/**
 * The span of a call that belongs to a trace: what the responder did, as the network saw it. Its parent is the span of the
 * caller; its id follows from trace and call, so that a call that is sent twice is one span.
 */
export function callSpan(call: LiveCall, trace: TraceContext, resource: Resource): ReadableSpan {
  const { trace_id: traceId, span_id: parent } = trace
  const spanId = createHash('sha256').update(`${traceId} ${call.id}`).digest('hex').slice(0, 16)
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED }
  const latency = call.latency_ms ?? 0
  return {
    name: spanName(call),
    kind: SpanKind.SERVER,
    spanContext: () => context,
    parentSpanContext: { traceId, spanId: parent, traceFlags: TraceFlags.SAMPLED, isRemote: true },
    startTime: hrTime(call.ts),
    endTime: hrTime(call.ts + latency),
    duration: hrTime(latency),
    status: { code: isFailed(call) ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: callAttributes(call),
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

/** Milliseconds as seconds and nanoseconds; calls have microseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1000) * 1000]
}
