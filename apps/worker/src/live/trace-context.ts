import type { TraceContext } from '@tapdeck/api'

type Headers = Readonly<Record<string, string | readonly string[]>>

/** W3C Trace Context, 3.2: version, trace, span, flags; later versions may append more after a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1
/** B3 in one header: trace, span, then what was decided. */
const B3 = /^([0-9a-f]{16}|[0-9a-f]{32})-([0-9a-f]{16})(?:-([01d]))?(?:-[0-9a-f]{16})?$/
const B3_TRACE = /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/
const B3_SPAN = /^[0-9a-f]{16}$/
const NOTHING = /^0+$/
const MAX_LENGTH = 512
const NAMES = new Set(['traceparent', 'b3', 'x-b3-traceid', 'x-b3-spanid', 'x-b3-sampled', 'x-b3-flags'])

/** The trace of a request: W3C first, then B3. Undefined if no header names one, or if it is redacted or not valid. */
export function traceContextOf(headers: Headers | undefined): TraceContext | undefined {
  if (headers === undefined) return undefined
  const found = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    // A header that comes twice names no trace for certain.
    if (NAMES.has(lower) && typeof value === 'string' && value.length <= MAX_LENGTH)
      found.set(lower, value.trim().toLowerCase())
  }
  if (found.size === 0) return undefined
  return w3c(found.get('traceparent')) ?? b3(found.get('b3')) ?? b3Headers(found)
}

function w3c(value: string | undefined): TraceContext | undefined {
  const [, version, trace = '', span = '', flags = '', more] = TRACEPARENT.exec(value ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return context(trace, span, (Number.parseInt(flags, 16) & SAMPLED) !== 0)
}

function b3(value: string | undefined): TraceContext | undefined {
  const [, trace, span, decision] = B3.exec(value ?? '') ?? []
  if (trace === undefined || span === undefined) return undefined
  return context(trace, span, decision !== '0')
}

function b3Headers(found: ReadonlyMap<string, string>): TraceContext | undefined {
  const trace = found.get('x-b3-traceid') ?? ''
  const span = found.get('x-b3-spanid') ?? ''
  if (!B3_TRACE.test(trace) || !B3_SPAN.test(span)) return undefined
  const sampled = found.get('x-b3-sampled')
  return context(trace, span, (sampled !== '0' && sampled !== 'false') || found.get('x-b3-flags') === '1')
}

/** Ids of only zeros are not valid. Short traces of B3 are filled up with zeros, as OpenTelemetry does. */
function context(trace: string, span: string, sampled: boolean): TraceContext | undefined {
  if (NOTHING.test(trace) || NOTHING.test(span)) return undefined
  return { trace_id: trace.padStart(32, '0'), span_id: span, sampled }
}
