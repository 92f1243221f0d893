import {
  type Evidence,
  keyOfEdge,
  keyOfParty,
  type Observation,
  secondsOf,
  type Traffic,
} from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { perSecond } from '../statistics.ts'

/** Calls that the other window should have had at the same rate. */
const EXPECTED = 10

/** Pairs that did not call each other before, and pairs that no longer do. */
export function newAndGoneEdges({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  const [was, is] = [byEdge(before), byEdge(after)]
  const arrived = [...is].filter(([key]) => !was.has(key) && !before.isCut)
  const gone = [...was].filter(([key]) => !is.has(key) && !after.isCut)
  const parties = new Set(
    before.edges.flatMap(({ client, server }) => [keyOfParty(client), keyOfParty(server)]),
  )
  return [
    ...arrived.flatMap(([, edge]) => arrival(edge, before, after, parties)),
    ...gone.flatMap(([, edge]) => departure(edge, before, after)),
  ]
}

function arrival(
  edge: Traffic,
  before: Observation,
  after: Observation,
  parties: ReadonlySet<string>,
): Finding[] {
  const { client, server, calls, first } = edge
  const expected = (calls / secondsOf(after)) * secondsOf(before)
  const crosses = client.ns !== undefined && server.ns !== undefined && client.ns !== server.ns
  const knownClient = parties.has(keyOfParty(client))
  // A service that changed whom it calls says more than a newcomer that begins with its first call.
  const score = (crosses ? 44 : 30) + (knownClient ? 8 : 0) + (expected >= EXPECTED ? 4 : 0)
  const across = crosses ? `, across namespaces (${client.ns} → ${server.ns})` : ''
  return [
    {
      kind: 'new_edge',
      score,
      what: `${client.name} calls ${server.name}, which it did not before${across}`,
      before: 'no calls',
      after: `${calls} calls`,
      began: first,
      client,
      server,
      selection: { client, server },
      against: [
        ...(expected < EXPECTED ? ['So few calls may have been missing before by chance.'] : []),
        ...(knownClient ? [] : [`${client.name} itself was not seen before.`]),
      ],
    },
  ]
}

function departure(edge: Traffic, before: Observation, after: Observation): Finding[] {
  const { client, server, calls, last } = edge
  const rate = calls / secondsOf(before)
  if (rate * secondsOf(after) < EXPECTED) return []
  return [
    {
      kind: 'gone',
      score: 42,
      what: `${client.name} no longer calls ${server.name}`,
      before: `${calls} calls (${perSecond(rate)})`,
      after: 'no calls',
      began: last,
      client,
      server,
      against: ['The client may have had nothing to do, or its packets were not captured.'],
    },
  ]
}

function byEdge({ edges }: Observation): ReadonlyMap<string, Traffic> {
  const found = new Map<string, Traffic>()
  for (const edge of edges) {
    const known = found.get(keyOfEdge(edge))
    found.set(
      keyOfEdge(edge),
      known
        ? {
            ...known,
            calls: known.calls + edge.calls,
            first: Math.min(known.first, edge.first),
            last: Math.max(known.last, edge.last),
          }
        : edge,
    )
  }
  return found
}
