import { type Evidence, keyOfParty, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { isBusy, type Oddness, oddness, wasOdd } from '../oddness.ts'

/** One pod of a service that is slower than the others, or fails where they do not. */
export function oddReplica({ before, after }: Evidence): Finding[] {
  return [...podsByService(after.replicas)].flatMap(([, pods]) =>
    pods.flatMap((pod) => {
      const others = pods.filter((one) => one !== pod)
      return oddness([pod], others, 'other pods').map((odd) => ({
        ...finding(pod, others, odd),
        ...(wasOdd([keyOfParty(pod.server)], odd.how, before?.replicas ?? []) && {
          isBackground: true as const,
        }),
      }))
    }),
  )
}

/** The busy pods of each service and protocol. */
export function podsByService(replicas: readonly Traffic[]): ReadonlyMap<string, readonly Traffic[]> {
  const services = new Map<string, Traffic[]>()
  for (const one of replicas.filter(isBusy)) {
    const key = `${keyOfParty(one.client)} ${one.proto}`
    services.set(key, [...(services.get(key) ?? []), one])
  }
  return services
}

function finding(
  { client: service, server: pod, proto }: Traffic,
  others: readonly Traffic[],
  { how, ...odd }: Oddness,
): Finding {
  return {
    kind: 'replica',
    ...odd,
    what: `Pod ${pod.name} of ${service.name} ${how === 'failing' ? 'fails where the others do not' : 'is slower than the others'}`,
    comparedWith: 'peers',
    server: service,
    pods: [keyOfParty(pod)],
    selection: { server: service, pod, proto },
    against: others.length === 1 ? ['There is only one other pod to compare with.'] : [],
  }
}
