import { expect, it } from 'vitest'
import { callTimeline } from './call-timeline.ts'

const peer = { ip: '10.0.0.1', port: 80 }
const call = { id: 'n1/1/0', ts: 1_700_000_000_000.125, src: peer, dst: peer, proto: 'http' }

it('lists request, first byte and last byte with what happened in between, in order of time', () => {
  const events = [
    { ts: 1_699_999_999_000, kind: 'os', type: 'connection_open', comm: 'node', pid: 7 },
    { ts: 1_700_000_000_003, kind: 'cluster', type: 'pod_removed', name: 'cart-0' },
  ] as const
  expect(callTimeline({ ...call, ttfb_ms: 2.2, latency_ms: 5.1 }, [...events])).toEqual([
    { ts: 1_699_999_999_000, what: 'connection_open', who: 'node' },
    { ts: 1_700_000_000_000.125, what: 'request' },
    { ts: 1_700_000_000_002.325, what: 'first_byte' },
    { ts: 1_700_000_000_003, what: 'pod_removed', who: 'cart-0' },
    { ts: 1_700_000_000_005.225, what: 'response' },
  ])
})

it('has no moment for a response that never came', () => {
  expect(callTimeline({ ...call, error: 'no_response' }, [])).toEqual([{ ts: call.ts, what: 'request' }])
})
