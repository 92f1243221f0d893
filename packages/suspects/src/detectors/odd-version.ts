import { type Evidence, keyOfParty, type PodHeaders, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { isEach, oddness, wasOdd } from '../oddness.ts'
import { podsByService } from './replica.ts'

/** Headers that say which release answers. */
const RELEASE = /version|release|build|revision|commit/
/** The hash that a ReplicaSet gives to the pods of one template. */
const TEMPLATE = /-([a-f0-9]{6,10})-[a-z0-9]{5}$/
/** One pod of a version is a pod; several are a version. */
const MIN_PODS = 2
/** Before its pods one by one. */
const MORE = 3

/** One version of a service that is slower than the others, or fails where they do not. */
export function oddVersion({ before, after }: Evidence): Finding[] {
  return [...podsByService(after.replicas)].flatMap(([, pods]) => {
    const versions = new Map<string, Traffic[]>()
    for (const pod of pods) {
      const version = versionOf(pod, after.headers)
      versions.set(version, [...(versions.get(version) ?? []), pod])
    }
    if (versions.size < 2 || versions.has('')) return []
    return [...versions].flatMap(([version, inside]) => {
      const outside = pods.filter((pod) => !inside.includes(pod))
      if (inside.length < MIN_PODS) return []
      return oddness(inside, outside, 'other versions')
        .filter(({ how }) => isEach(inside, outside, how))
        .map(({ how, score, ...odd }): Finding => {
          const [{ client: service, proto }] = inside as [Traffic]
          const keys = inside.map(({ server }) => keyOfParty(server))
          return {
            kind: 'version',
            ...odd,
            score: score + MORE,
            what: `Version ${version} of ${service.name} ${how === 'failing' ? 'fails where the others do not' : 'is slower than the others'} (${inside.length} pods)`,
            comparedWith: 'peers',
            server: service,
            pods: keys,
            ...(wasOdd(keys, how, before?.replicas ?? []) && { isBackground: true }),
            selection: { server: service, proto, pods: inside.map(({ server }) => server) },
            against: [],
          }
        })
    })
  })
}

/** What its responses say of the release; else its template. */
function versionOf({ client, server }: Traffic, headers: readonly PodHeaders[]): string {
  const found = headers.find(
    (one) => one.pod === server.name && keyOfParty(one.server) === keyOfParty(client),
  )
  const named = Object.entries(found?.constant ?? {}).find(([name]) => RELEASE.test(name))
  return named?.[1] ?? TEMPLATE.exec(server.name)?.[1] ?? ''
}
