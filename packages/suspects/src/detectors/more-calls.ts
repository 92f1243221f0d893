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

const TIMES = 2
const MIN_CALLS = 30
/** Of the calls, so many fail: then more of them are retries. */
const RETRY_SHARE = 0.1

/** Calls that became more frequent, and not because the client itself is called more: retries, loops, lost caches. */
export function moreCalls({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  const [rates, inbound] = [ratesOf(before, keyOfEdge), ratesOf(before, ofServer)]
  const inboundNow = ratesOf(after, ofServer)
  return [...byEdge(after)].flatMap(([key, edge]) => {
    const [was, is] = [rates.get(key) ?? 0, edge.calls / secondsOf(after)]
    if (was * secondsOf(before) < 5 || edge.calls < MIN_CALLS || is < was * TIMES) return []
    const asClient = keyOfParty(edge.client)
    const [inWas, inIs] = [inbound.get(asClient), inboundNow.get(asClient)]
    const hasInbound = inWas !== undefined && inIs !== undefined
    const times = hasInbound ? is / was / Math.max(inIs / inWas, 0.01) : is / was
    if (times < TIMES) return []
    return [finding(edge, { was, is, times, inWas: hasInbound ? inWas : undefined, inIs })]
  })
}

interface Rates {
  readonly was: number
  readonly is: number
  readonly times: number
  readonly inWas: number | undefined
  readonly inIs: number | undefined
}

function finding(edge: Traffic, { was, is, times, inWas, inIs }: Rates): Finding {
  const { client, server, calls, failures } = edge
  const share = failures / calls
  const retries = share >= RETRY_SHARE
  const each =
    inWas === undefined || inIs === undefined
      ? ''
      : `; for each request to ${client.name} ${(was / inWas).toFixed(1)} → ${(is / inIs).toFixed(1)} calls`
  const kind = retries ? 'retries' : inWas === undefined ? 'more_calls' : 'n_plus_one'
  const how = retries ? ', probably retries' : kind === 'n_plus_one' ? ' for each of its own requests' : ''
  return {
    kind,
    // A client without a known caller may just have more to do: that alone is a note.
    score: kind === 'more_calls' ? Math.min(44, 32 + 4 * doublings(times)) : 50 + 6 * doublings(times),
    what: `${client.name} calls ${server.name} ${times.toFixed(1)} times as often${how}`,
    before: perSecond(was),
    after: `${perSecond(is)}${each}`,
    began: edge.first,
    client,
    server,
    selection: { client, server },
    against: [
      ...(retries
        ? [`${percent(share)} of these calls fail: the failures may be the cause of the retries.`]
        : []),
      ...(inWas === undefined
        ? [`No calls to ${client.name} were seen: it may have more work to do, or be a load generator.`]
        : []),
    ],
  }
}

function byEdge({ edges }: Observation): ReadonlyMap<string, Traffic> {
  const found = new Map<string, Traffic>()
  for (const edge of edges) {
    // Lookups and handshakes come with connections, not with requests.
    if (edge.proto === 'dns' || edge.proto === 'tls') continue
    const known = found.get(keyOfEdge(edge))
    found.set(
      keyOfEdge(edge),
      known
        ? {
            ...known,
            calls: known.calls + edge.calls,
            failures: known.failures + edge.failures,
            first: Math.min(known.first, edge.first),
          }
        : edge,
    )
  }
  return found
}

function ratesOf(observation: Observation, key: (edge: Traffic) => string): ReadonlyMap<string, number> {
  const rates = new Map<string, number>()
  for (const edge of byEdge(observation).values())
    rates.set(key(edge), (rates.get(key(edge)) ?? 0) + edge.calls / secondsOf(observation))
  return rates
}

function ofServer({ server }: Traffic): string {
  return keyOfParty(server)
}
