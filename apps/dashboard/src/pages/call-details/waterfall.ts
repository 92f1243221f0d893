import type { OperationOutput } from '@tapdeck/api'
import type { CallDetails } from '../../client/call-details.ts'

type Explanation = Pick<OperationOutput<'explain_call'>, 'timeline' | 'caused' | 'connection'>

/** One stretch of time of a call, or of what led to it. */
export interface Stretch {
  readonly id: 'dns' | 'connect' | 'tls' | 'network' | 'waiting' | 'receiving' | 'caused'
  readonly title: string
  readonly ms: number
  /** 0 to 1, of the whole time that is shown. */
  readonly from: number
  readonly share: number
  /** The call that it is. */
  readonly call?: string
  /** Concluded from times and addresses. */
  readonly isInferred?: boolean
}

type Phase = Omit<Stretch, 'from' | 'share'> & { readonly start: number }

/** A lookup that ended longer before the request than this was not for it. Milliseconds. */
const MAX_LOOKUP_AGE = 1000
const MAX_CAUSED = 20

/**
 * How the time of a call went: name lookup, connection, TLS, network, server, transfer, and the calls that the server
 * made meanwhile. Network time is known where the nodes of both ends have recorded the call.
 */
export function waterfall(
  call: Pick<CallDetails, 'latency_ms' | 'ttfb_ms' | 'both_ends' | 'request' | 'dst'>,
  explanation: Explanation | undefined,
): readonly Stretch[] {
  const phases = [...before(call, explanation), ...within(call), ...caused(explanation)]
  if (phases.length === 0) return []
  const start = Math.min(...phases.map((phase) => phase.start))
  const end = Math.max(...phases.map((phase) => phase.start + phase.ms))
  const whole = Math.max(end - start, Number.MIN_VALUE)
  return phases.map(({ start: at, ...phase }) => ({
    ...phase,
    from: (at - start) / whole,
    share: phase.ms / whole,
  }))
}

/** What a new connection needs; a call on an open one needs none of it. */
function before(
  { request, dst }: Pick<CallDetails, 'request' | 'dst'>,
  explanation: Explanation | undefined,
): readonly Phase[] {
  if (!explanation || explanation.connection.previous_call !== undefined) return []
  const names = new Set([host(request?.headers?.host), dst.svc].filter((name) => name !== undefined))
  const moments = explanation.timeline.filter(
    ({ took_ms, offset_ms }) => took_ms !== undefined && offset_ms <= 0,
  )
  const connect = moments.find(({ what }) => what === 'connect')
  const tls = moments.findLast(({ what }) => what === 'tls_handshake')
  const opened = Math.min(connect?.offset_ms ?? 0, tls?.offset_ms ?? 0)
  const lookup = moments.findLast(
    ({ what, name, offset_ms, took_ms = 0 }) =>
      what === 'dns_lookup' &&
      isName(name, names) &&
      offset_ms + took_ms <= opened &&
      offset_ms + took_ms >= opened - MAX_LOOKUP_AGE,
  )
  const phase = (id: Phase['id'], title: string, moment: typeof connect): Phase[] =>
    moment === undefined
      ? []
      : [
          {
            id,
            title,
            ms: moment.took_ms ?? 0,
            // The handshake of TCP is known to be before that of TLS, not when.
            start: id === 'connect' && tls ? tls.offset_ms - (moment.took_ms ?? 0) : moment.offset_ms,
            ...(moment.id !== undefined && { call: moment.id }),
          },
        ]
  return [
    ...phase('dns', 'Name lookup', lookup),
    ...phase('connect', 'TCP handshake', connect),
    ...phase('tls', 'TLS handshake', tls),
  ]
}

function within({
  latency_ms: whole,
  ttfb_ms,
  both_ends,
}: Pick<CallDetails, 'latency_ms' | 'ttfb_ms' | 'both_ends'>): readonly Phase[] {
  if (whole === undefined || whole <= 0) return []
  const waiting = ttfb_ms === undefined ? whole : Math.min(ttfb_ms, whole)
  const network = Math.min(Math.max(both_ends?.network_ms ?? 0, 0), waiting)
  const phases: readonly Phase[] = [
    { id: 'network', title: 'Network, both ways', ms: network, start: 0 },
    {
      id: 'waiting',
      title: network > 0 ? 'Server, until the first byte' : 'Waiting for the first byte',
      ms: waiting - network,
      start: network,
    },
    { id: 'receiving', title: 'Receiving the rest', ms: whole - waiting, start: waiting },
  ]
  return phases.filter(({ ms }) => ms > 0)
}

function caused(explanation: Explanation | undefined): readonly Phase[] {
  return (explanation?.caused ?? []).slice(0, MAX_CAUSED).map((one) => ({
    id: 'caused',
    title: `${one.what} to ${one.dst}`,
    ms: one.latency_ms ?? 0,
    start: one.offset_ms,
    call: one.id,
    ...(one.inferred && { isInferred: true }),
  }))
}

function host(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header.replace(/:\d+$/, '').toLowerCase() : undefined
}

/** `cart.shop.svc.cluster.local` is asked for where the host is `cart.shop`, or the service `cart`. */
function isName(asked: string | undefined, names: ReadonlySet<string>): boolean {
  const name = asked?.replace(/\.$/, '').toLowerCase()
  return name !== undefined && [...names].some((one) => name === one || name.startsWith(`${one}.`))
}
