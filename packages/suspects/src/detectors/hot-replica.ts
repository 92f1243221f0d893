import { type Evidence, keyOfParty, type Observation, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { milliseconds, percent } from '../statistics.ts'

const MIN_CALLS = 50
/** Times its share of the calls before. */
const TIMES = 1.5
/** Times an equal share. */
const ABOVE_EQUAL = 1.5

/** One pod that gets far more of the calls of its service than before: a hot partition, or a balancer that lost the others. */
export function hotReplica({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  const known = servicesOf(before)
  return [...servicesOf(after)].flatMap(([key, pods]) => {
    const was = known.get(key) ?? []
    const [calls, callsBefore] = [callsOf(pods), callsOf(was)]
    const replicas = new Set([...pods, ...was].map(({ server }) => keyOfParty(server))).size
    if (replicas < 2 || Math.min(calls, callsBefore) < MIN_CALLS) return []
    return pods.flatMap((pod) => {
      const earlier = was.find(({ server }) => keyOfParty(server) === keyOfParty(pod.server))
      const [share, shareBefore] = [pod.calls / calls, (earlier?.calls ?? 0) / callsBefore]
      if (earlier === undefined || share < shareBefore * TIMES || share < ABOVE_EQUAL / replicas) return []
      return [finding(pod, earlier, { share, shareBefore, replicas })]
    })
  })
}

function finding(
  pod: Traffic,
  earlier: Traffic,
  { share, shareBefore, replicas }: { share: number; shareBefore: number; replicas: number },
): Finding {
  const { client: service, server, proto } = pod
  const times = (pod.p50 ?? 0) / Math.max(earlier.p50 ?? 0, 0.1)
  const suffers = times >= 1.5 && (pod.p50 ?? 0) - (earlier.p50 ?? 0) > 3
  const figures = (one: Traffic, part: number) =>
    `${percent(part)} of the calls, p50 ${milliseconds(one.p50 ?? 0)}`
  return {
    kind: 'hot_replica',
    score: suffers ? 68 + 14 * share : 42,
    what: `Pod ${server.name} gets ${percent(share)} of the calls to ${service.name} (${replicas} pods)${suffers ? ` and is ${times.toFixed(1)} times as slow` : ''}`,
    before: figures(earlier, shareBefore),
    after: figures(pod, share),
    server: service,
    selection: { server: service, pod: server, proto },
    against: suffers ? [] : ['It answers as fast as before.'],
  }
}

function servicesOf({ replicas }: Observation): ReadonlyMap<string, Traffic[]> {
  const services = new Map<string, Traffic[]>()
  for (const one of replicas) {
    const key = `${keyOfParty(one.client)} ${one.proto}`
    services.set(key, [...(services.get(key) ?? []), one])
  }
  return services
}

function callsOf(list: readonly Traffic[]): number {
  return list.reduce((sum, { calls }) => sum + calls, 0)
}
