import {
  type Evidence,
  keyOfEdge,
  keyOfParty,
  type Observation,
  secondsOf,
  type Traffic,
} from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { hasRisen, percent } from '../statistics.ts'

const LIMITED = /^429|resource_exhausted|too many requests|rate.?limit|throttl/i
/** A client whose rate rose by so much may have deserved it. */
const ROSE = 1.5
const FLOOD = 2
/** Fewer are no sign of a limit. */
const SEVERAL = 3

/** Clients that a rate limiter rejects, and whether it is they who send more. */
export function rateLimited({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  return [...byEdge(after.failures.filter(isLimited))].flatMap(([key, failures]) => {
    const [worst] = failures
    if (worst === undefined) return []
    const { client, server, proto } = worst
    const limited = callsOf(failures)
    const calls = callsOf(after.edges.filter((one) => keyOfEdge(one) === key))
    const callsBefore = callsOf(before.edges.filter((one) => keyOfEdge(one) === key))
    const was = callsOf(before.failures.filter((one) => isLimited(one) && keyOfEdge(one) === key))
    const isNew = was === 0 && limited >= SEVERAL
    if (!isNew && !hasRisen(was, callsBefore, limited, calls)) return []
    const rose = growthOf(key, before, after)
    const flood = floodOf(worst, before, after)
    const isWrong = rose < ROSE && flood !== undefined
    const other = isWrong
      ? `, though its rate did not rise; that of ${flood.client.name} did (${flood.times.toFixed(1)} times)`
      : ''
    return [
      {
        kind: 'rate_limited' as const,
        score: (isWrong ? 70 : rose < ROSE ? 60 : 50) + 20 * (limited / calls),
        what: `${server.name} rejects calls of ${client.name} because of a rate limit${other}`,
        before: `${was} of ${callsBefore} calls`,
        after: `${limited} of ${calls} calls (${percent(limited / calls)})`,
        began: Math.min(...failures.map(({ first }) => first)),
        client,
        server,
        selection: { client, server, proto, ...(worst.error !== undefined && { error: worst.error }) },
        against: rose < ROSE ? [] : [`${client.name} sends ${rose.toFixed(1)} times as much as before.`],
      },
    ]
  })
}

/** Another client of the same server, whose rate rose most. */
function floodOf({ client, server }: Traffic, before: Observation, after: Observation) {
  const others = [...byEdge(after.edges)].flatMap(([key, [edge]]) => {
    if (edge === undefined || keyOfParty(edge.server) !== keyOfParty(server)) return []
    if (keyOfParty(edge.client) === keyOfParty(client)) return []
    return { client: edge.client, times: growthOf(key, before, after) }
  })
  const [most] = others.sort((a, b) => b.times - a.times)
  return most !== undefined && most.times >= FLOOD ? most : undefined
}

function growthOf(key: string, before: Observation, after: Observation): number {
  const rate = (one: Observation) =>
    callsOf(one.edges.filter((edge) => keyOfEdge(edge) === key)) / secondsOf(one)
  return rate(after) / Math.max(rate(before), 0.01)
}

function isLimited({ error = '' }: Traffic): boolean {
  return LIMITED.test(error)
}

function callsOf(list: readonly Traffic[]): number {
  return list.reduce((total, { calls }) => total + calls, 0)
}

function byEdge(list: readonly Traffic[]): ReadonlyMap<string, Traffic[]> {
  const edges = new Map<string, Traffic[]>()
  for (const one of list) edges.set(keyOfEdge(one), [...(edges.get(keyOfEdge(one)) ?? []), one])
  return edges
}
