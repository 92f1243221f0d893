import {
  type Evidence,
  keyOfEdge,
  keyOfParty,
  type Observation,
  secondsOf,
  type Traffic,
} from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings, percent, perSecond } from '../statistics.ts'

/** A hop multiplies if it makes so many times the calls for each request that it gets. */
const HOP_TIMES = 1.4
const TIMES = 3
const MAX_HOPS = 5
const MIN_CALLS = 30
const FAILED_SHARE = 0.05

interface Hop {
  readonly edge: Traffic
  readonly was: number
  readonly is: number
  /** Of calls for each request of its client. */
  readonly times: number
}

/** Retries at several layers multiply: each service on the way repeats what the one before already repeats. */
export function amplification({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  const hops = hopsOf(before, after)
  const byServer = new Map(hops.map((hop) => [keyOfParty(hop.edge.server), hop]))
  return hops.flatMap((last) => {
    if (last.edge.failures < last.edge.calls * FAILED_SHARE) return []
    const chain = [last]
    for (let hop = last; chain.length < MAX_HOPS; ) {
      const earlier = byServer.get(keyOfParty(hop.edge.client))
      if (earlier === undefined || chain.includes(earlier)) break
      chain.unshift(earlier)
      hop = earlier
    }
    const times = chain.reduce((product, hop) => product * hop.times, 1)
    if (chain.length < 2 || times < TIMES) return []
    return [finding(chain, last, times)]
  })
}

function finding(chain: readonly Hop[], { edge, was, is }: Hop, times: number): Finding {
  const names = [...chain.map((hop) => hop.edge.client.name), edge.server.name]
  const { client, server } = edge
  return {
    kind: 'amplification',
    score: 54 + 6 * doublings(times / 2),
    what: `Retries multiply on the way ${names.join(' → ')}: ${times.toFixed(1)} times as many calls to ${server.name} for each request to ${names[0]}`,
    before: perSecond(was),
    after: `${perSecond(is)}; ${chain.map((hop) => `${hop.edge.client.name} ${hop.times.toFixed(1)} times`).join(', ')}`,
    began: edge.first,
    client,
    server,
    selection: { client, server },
    against: [
      `${percent(edge.failures / edge.calls)} of the calls to ${server.name} fail: that may be the cause.`,
    ],
  }
}

/** Edges whose client multiplies what it gets. A client without known callers multiplies nothing that is known. */
function hopsOf(before: Observation, after: Observation): Hop[] {
  const [rates, inbound, inboundNow] = [
    ratesOf(before, keyOfEdge),
    ratesOf(before, ofServer),
    ratesOf(after, ofServer),
  ]
  const edges = new Map<string, Traffic>()
  for (const edge of after.edges)
    if (isRequest(edge) && edge.calls >= MIN_CALLS && !edges.has(keyOfEdge(edge)))
      edges.set(keyOfEdge(edge), edge)
  return [...edges].flatMap(([key, edge]) => {
    const was = rates.get(key)
    const is = edge.calls / secondsOf(after)
    if (was === undefined) return []
    const asClient = keyOfParty(edge.client)
    const [inWas, inIs] = [inbound.get(asClient), inboundNow.get(asClient)]
    const times = is / was / (inWas === undefined || inIs === undefined ? 1 : inIs / inWas)
    return times >= HOP_TIMES ? [{ edge, was, is, times }] : []
  })
}

function ratesOf(observation: Observation, key: (edge: Traffic) => string): ReadonlyMap<string, number> {
  const rates = new Map<string, number>()
  for (const edge of observation.edges)
    if (isRequest(edge))
      rates.set(key(edge), (rates.get(key(edge)) ?? 0) + edge.calls / secondsOf(observation))
  return rates
}

/** Lookups and handshakes come with connections, not with requests. */
function isRequest({ proto }: Traffic): boolean {
  return proto !== 'dns' && proto !== 'tls'
}

function ofServer({ server }: Traffic): string {
  return keyOfParty(server)
}
