import type { OperationOutput, shapes } from '@tapdeck/api'
import type { FlowMoment } from '@tapdeck/dissect'
import type { z } from 'zod'

type Call = z.input<typeof shapes.call>
type Moment = OperationOutput<'explain_call'>['timeline'][number]

/** What is known of a call and of what happened around it. */
export interface CallStory {
  readonly call: Call
  readonly lookups: readonly Call[]
  /** Of a DNS call: the same question, sent before or after it because no answer came. */
  readonly tries: readonly Call[]
  /** The TLS handshake of its connection. */
  readonly handshake: Call | undefined
  /** The call before it on its connection. */
  readonly previous: Call | undefined
  readonly caused: OperationOutput<'explain_call'>['caused']
}

interface Timed extends Omit<Moment, 'at' | 'offset_ms'> {
  readonly ts: number
}

/** One timeline of all of it, oldest first. */
export function callMoments({ call, lookups, tries, handshake, previous, caused }: CallStory): Moment[] {
  const moments: Timed[] = [
    ...lookups.map((one) => ({
      ts: one.ts,
      what: 'dns_lookup',
      detail: `${one.method ?? ''} ${one.path ?? ''}: ${one.error ?? one.status ?? 'no answer'}${took(one)}`,
      ...(one.latency_ms !== undefined && { took_ms: one.latency_ms }),
      ...(one.path !== undefined && { name: one.path }),
      id: one.id,
    })),
    ...tries.map((one) => ({
      ts: one.ts,
      what: one.ts < call.ts ? 'earlier_try' : 'later_try',
      detail: `${one.error ?? one.status ?? 'no answer'}${took(one)}`,
      id: one.id,
      inferred: true as const,
    })),
    ...(previous
      ? [{ ts: previous.ts + (previous.latency_ms ?? 0), what: 'previous_call_ended', id: previous.id }]
      : setUp(call)),
    ...(handshake
      ? [
          {
            ts: handshake.ts,
            what: 'tls_handshake',
            detail: `${handshake.error ?? 'done'}${took(handshake)}`,
            ...(handshake.latency_ms !== undefined && { took_ms: handshake.latency_ms }),
            id: handshake.id,
          },
        ]
      : []),
    ...(call.timeline ?? []).map(({ ts, what, who }) => ({
      ts,
      what,
      ...(who !== undefined && { detail: who }),
    })),
    ...caused.map(({ offset_ms, what, dst, latency_ms, error, id, inferred }) => ({
      ts: call.ts + offset_ms,
      what: 'caused_call',
      detail: `${what} to ${dst}${latency_ms === undefined ? '' : `, ${latency_ms} ms`}${error === undefined ? '' : `, ${error}`}`,
      ...(latency_ms !== undefined && { took_ms: latency_ms }),
      id,
      ...(inferred && { inferred }),
    })),
    ...connectionMoments(call),
  ]
  return moments
    .sort((a, b) => a.ts - b.ts)
    .map(({ ts, ...moment }) => ({
      at: new Date(ts).toISOString(),
      offset_ms: Math.round((ts - call.ts) * 1000) / 1000,
      ...moment,
    }))
}

/** Of the first call of a connection. The request follows the handshake, but not always at once. */
function setUp({ ts, tcp }: Call): Timed[] {
  const us = (tcp as { readonly handshake_us?: unknown } | undefined)?.handshake_us
  if (typeof us !== 'number') return []
  const took_ms = us / 1000
  return [
    { ts: ts - took_ms, what: 'connect', detail: `TCP handshake took ${us} µs`, took_ms, inferred: true },
  ]
}

const WHAT: Readonly<Record<FlowMoment['what'], readonly [what: string, detail: string]>> = {
  zero_window: ['zero_window', 'accepts no more data for now (TCP zero window)'],
  fin: ['fin', 'closes its direction of the connection (FIN)'],
  reset: ['rst', 'resets the connection (RST)'],
}

/** The first zero window, FIN and RST of each end; where they are not known, what the error says of the end. */
function connectionMoments(call: Call): Timed[] {
  const { moments } = (call.flow ?? {}) as { readonly moments?: readonly FlowMoment[] }
  if (moments === undefined) return connectionEnd(call)
  return moments.map(({ ts, what, by }) => {
    const { pod, svc, ip } = call[by]
    return { ts, what: WHAT[what][0], by, detail: `${pod ?? svc ?? ip} ${WHAT[what][1]}` }
  })
}

/** An error that says how the connection ended, at the time when the answer ended. */
function connectionEnd({ ts, latency_ms, error, tcp }: Call): Timed[] {
  const resets = (tcp as { readonly resets?: unknown } | undefined)?.resets
  const isBroken = error !== undefined && /refused|reset|closed|cut off/.test(error)
  if (!isBroken && !(typeof resets === 'number' && resets > 0)) return []
  const detail = `${error ?? 'reset'}${typeof resets === 'number' ? `; ${resets} RST on the connection` : ''}`
  return [{ ts: ts + (latency_ms ?? 0), what: 'connection_end', detail, inferred: true }]
}

function took({ latency_ms }: Call): string {
  return latency_ms === undefined ? '' : `, ${latency_ms} ms`
}
