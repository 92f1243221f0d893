import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'

type Call = z.input<typeof shapes.call>
type Moment = NonNullable<Call['timeline']>[number]

/**
 * The moments of a call, and what happened to its pods and processes meanwhile, oldest first. What has no time (a response
 * that never came) has no moment.
 */
export function callTimeline(call: Call, events: NonNullable<Call['events']>): Moment[] {
  const { ts, latency_ms } = call
  const ttfb = typeof call.ttfb_ms === 'number' ? call.ttfb_ms : undefined
  const moments: Moment[] = [
    { ts, what: 'request' },
    ...(ttfb === undefined ? [] : [{ ts: later(ts, ttfb), what: 'first_byte' }]),
    ...(latency_ms === undefined ? [] : [{ ts: later(ts, latency_ms), what: 'response' }]),
    ...events.map((event) => {
      const who = event.name ?? event.comm
      return { ts: event.ts, what: event.type, ...(typeof who === 'string' && { who }) }
    }),
  ]
  return moments.sort((a, b) => a.ts - b.ts)
}

/** To the microsecond: sums of milliseconds have digits that were not measured. */
function later(ts: number, ms: number): number {
  return Math.round((ts + ms) * 1000) / 1000
}
