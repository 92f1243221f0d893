import { type Evidence, keyOfEdge, type Observation, secondsOf, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings } from '../statistics.ts'

/** Connections and streams: they last as long as they are open. */
const WITHOUT_ANSWER = new Set(['tcp', 'udp', 'sctp', 'icmp', 'websocket', 'tls', 'dns'])
const MIN_CALLS = 30
const TIMES = 4
const MIN_RISE = 4

/** Calls that are under way at the same time, by client and server: a queue forms where they rise more than the rate does. */
export function concurrency({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  const known = new Map(before.edges.map((one) => [keyOf(one), one]))
  return after.edges.flatMap((one) => {
    const was = known.get(keyOf(one))
    if (was === undefined || WITHOUT_ANSWER.has(one.proto) || Math.min(was.calls, one.calls) < MIN_CALLS)
      return []
    const [low, high] = [inFlight(was, before), inFlight(one, after)]
    if (high - low < MIN_RISE || high < low * TIMES) return []
    const { client, server, proto } = one
    const rate = one.calls / secondsOf(after) / (was.calls / secondsOf(before))
    return [
      {
        kind: 'concurrency' as const,
        score: 36 + 3 * doublings(high / Math.max(low, 0.1)),
        what: `${client.name} has ${high.toFixed(1)} ${proto} calls to ${server.name} under way at a time`,
        before: `${low.toFixed(1)} at a time`,
        after: `${high.toFixed(1)} at a time, at ${rate.toFixed(1)} times the rate`,
        client,
        server,
        selection: { client, server, proto },
        against: ['It follows from slower answers or from more calls: look for what caused those.'],
      },
    ]
  })
}

/** Little's law, by the median. */
function inFlight({ calls, p50 = 0 }: Traffic, window: Observation): number {
  return (calls / secondsOf(window)) * (p50 / 1000)
}

function keyOf(one: Traffic): string {
  return `${keyOfEdge(one)} ${one.proto}`
}
