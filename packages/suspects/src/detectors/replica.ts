import { type Evidence, keyOfParty, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings, milliseconds, percent } from '../statistics.ts'

const MIN_CALLS = 20
const FAILING_SHARE = 0.1
const TIMES = 3
const RISE_MS = 5

/** One pod of a service that is slower than the others, or fails where they do not. */
export function oddReplica({ after }: Evidence): Finding[] {
  const services = new Map<string, Traffic[]>()
  for (const one of after.replicas) {
    const key = `${keyOfParty(one.client)} ${one.proto}`
    services.set(key, [...(services.get(key) ?? []), one])
  }
  return [...services.values()].flatMap((pods) => {
    const busy = pods.filter(({ calls }) => calls >= MIN_CALLS)
    if (busy.length < 2) return []
    return busy.flatMap((pod) => {
      const others = busy.filter((one) => one !== pod)
      return [...failing(pod, others), ...slow(pod, others)]
    })
  })
}

function failing(pod: Traffic, others: readonly Traffic[]): Finding[] {
  const share = pod.failures / pod.calls
  const calls = others.reduce((sum, one) => sum + one.calls, 0)
  const usual = others.reduce((sum, one) => sum + one.failures, 0) / calls
  if (share < FAILING_SHARE || share < usual * TIMES) return []
  return [
    {
      ...described(pod, others, 'fails where the others do not'),
      score: 62 + 28 * (share - usual),
      before: `other pods: ${percent(usual)} of ${calls} calls fail`,
      after: `${percent(share)} of ${pod.calls} calls fail`,
    },
  ]
}

function slow(pod: Traffic, others: readonly Traffic[]): Finding[] {
  const medians = others.flatMap(({ p50 }) => p50 ?? []).sort((a, b) => a - b)
  const usual = medians.at(-1)
  if (usual === undefined || pod.p50 === undefined) return []
  if (pod.p50 < usual * TIMES || pod.p50 - usual < RISE_MS) return []
  return [
    {
      ...described(pod, others, 'is slower than the others'),
      score: 54 + 6 * doublings(pod.p50 / Math.max(usual, 0.1)),
      before: `other pods: p50 at most ${milliseconds(usual)}`,
      after: `p50 ${milliseconds(pod.p50)} of ${pod.calls} calls`,
    },
  ]
}

function described(
  { client: service, server: pod, proto }: Traffic,
  others: readonly Traffic[],
  how: string,
) {
  return {
    kind: 'replica' as const,
    what: `Pod ${pod.name} of ${service.name} ${how}`,
    server: service,
    selection: { server: service, pod, proto },
    against: others.length === 1 ? ['There is only one other pod to compare with.'] : [],
  }
}
