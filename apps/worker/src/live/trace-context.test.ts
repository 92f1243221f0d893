import { expect, test } from 'vitest'
import { traceContextOf } from './trace-context.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'
const found = { trace_id: trace, span_id: span, sampled: true }

test.each([
  ['traceparent', { traceparent: `00-${trace}-${span}-01` }, found],
  ['traceparent in any case', { TraceParent: ` 00-${trace.toUpperCase()}-${span}-01 ` }, found],
  ['an unsampled trace', { traceparent: `00-${trace}-${span}-02` }, { ...found, sampled: false }],
  ['a later version with more', { traceparent: `01-${trace}-${span}-01-what` }, found],
  ['b3 in one header', { b3: `${trace}-${span}-1-${span}` }, found],
  ['b3 without a decision', { B3: `${trace}-${span}` }, found],
  ['b3, debugged', { b3: `${trace}-${span}-d` }, found],
  ['b3, not sampled', { b3: `${trace}-${span}-0` }, { ...found, sampled: false }],
  ['b3 in several headers', { 'X-B3-TraceId': trace, 'X-B3-SpanId': span, 'X-B3-Sampled': '1' }, found],
  ['b3 with a short trace', { b3: `${span}-${span}` }, { ...found, trace_id: `${'0'.repeat(16)}${span}` }],
  [
    'b3 headers, not sampled',
    { 'x-b3-traceid': trace, 'x-b3-spanid': span, 'x-b3-sampled': '0' },
    { ...found, sampled: false },
  ],
  [
    'b3 headers, debugged',
    { 'x-b3-traceid': trace, 'x-b3-spanid': span, 'x-b3-sampled': '0', 'x-b3-flags': '1' },
    found,
  ],
  ['W3C before B3', { b3: `${span}-${span}-0`, traceparent: `00-${trace}-${span}-01` }, found],
])('reads %s', (_what, headers, expected) => {
  expect(traceContextOf(headers)).toEqual(expected)
})

test.each([
  ['no headers', undefined],
  ['other headers', { host: 'a', 'x-request-id': trace }],
  ['a redacted header', { traceparent: '*' }],
  ['the invalid version', { traceparent: `ff-${trace}-${span}-01` }],
  ['version 00 with more', { traceparent: `00-${trace}-${span}-01-more` }],
  ['a trace of zeros', { traceparent: `00-${'0'.repeat(32)}-${span}-01` }],
  ['a span of zeros', { b3: `${trace}-${'0'.repeat(16)}-1` }],
  ['a short span', { traceparent: `00-${trace}-${span.slice(1)}-01` }],
  ['only the decision of b3', { b3: '0' }],
  ['half of the b3 headers', { 'x-b3-traceid': trace }],
  ['a header that comes twice', { traceparent: [`00-${trace}-${span}-01`, `00-${trace}-${span}-00`] }],
  ['a long text', { traceparent: `00-${trace}-${span}-01-`.padEnd(100_000, 'x') }],
])('finds no trace in %s', (_what, headers) => {
  expect(traceContextOf(headers)).toBeUndefined()
})
