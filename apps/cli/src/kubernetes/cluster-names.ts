import type { V1EndpointSlice, V1Pod, V1Service } from '@kubernetes/client-node'
import type { Inventory, Owner, Pod, Service } from '@tapdeck/inventory'

export interface ClusterObjects {
  readonly pods: readonly V1Pod[]
  readonly services: readonly V1Service[]
  readonly slices: readonly V1EndpointSlice[]
}

const ENDED: ReadonlySet<string | undefined> = new Set(['Succeeded', 'Failed'])

/** The present names of addresses, out of what a caller may list. */
export function namesOf({ pods, services, slices }: ClusterObjects): Inventory {
  return {
    pods: pods.filter(({ status }) => !ENDED.has(status?.phase)).flatMap(podOf),
    services: services.map((service) => serviceOf(service, slices)),
  }
}

function podOf({ metadata, spec, status }: V1Pod): Pod[] {
  const ips = (status?.podIPs ?? []).flatMap(({ ip }) => ip ?? [])
  const ports = (spec?.containers ?? [])
    .flatMap((one) => one.ports ?? [])
    .map(({ containerPort }) => containerPort)
  // The addresses of such a pod are those of its node.
  const shared = spec?.hostNetwork === true
  if (ips.length === 0 || (shared && ports.length === 0)) return []
  const owners = ownersOf(metadata)
  return [
    {
      name: metadata?.name ?? '',
      namespace: metadata?.namespace ?? '',
      ips,
      ...(shared && { ports: [...new Set(ports)] }),
      ...(spec?.nodeName && { node: spec.nodeName }),
      ...(metadata?.labels && { labels: metadata.labels }),
      ...(owners.length > 0 && { owners }),
      ...(metadata?.uid && { uid: metadata.uid }),
      ...(status?.startTime && { from: new Date(status.startTime).getTime() }),
    },
  ]
}

/** A Deployment names its ReplicaSets by its own name and the hash that their pods have as a label: no right to list them is needed. */
function ownersOf(metadata: V1Pod['metadata']): Owner[] {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller)
  if (owner === undefined) return []
  const direct = { kind: owner.kind, name: owner.name }
  const hash = metadata?.labels?.['pod-template-hash']
  if (owner.kind !== 'ReplicaSet' || hash === undefined || !owner.name.endsWith(`-${hash}`)) return [direct]
  return [direct, { kind: 'Deployment', name: owner.name.slice(0, -hash.length - 1) }]
}

function serviceOf({ metadata, spec, status }: V1Service, slices: readonly V1EndpointSlice[]): Service {
  const own = slices.filter(
    (slice) =>
      slice.metadata?.namespace === metadata?.namespace &&
      slice.metadata?.labels?.['kubernetes.io/service-name'] === metadata?.name,
  )
  const nodePorts = (spec?.ports ?? []).flatMap(({ nodePort }) => nodePort ?? [])
  const balancers = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? [])
  return {
    name: metadata?.name ?? '',
    namespace: metadata?.namespace ?? '',
    ips: [
      ...(spec?.clusterIPs ?? []).filter((ip) => ip !== 'None' && ip !== ''),
      ...(spec?.externalIPs ?? []),
      ...balancers,
    ],
    ...(nodePorts.length > 0 && { nodePorts }),
    ...(spec?.externalName && { externalName: spec.externalName }),
    endpoints: own.flatMap(({ endpoints, ports }) => {
      const numbers = (ports ?? []).flatMap(({ port }) => port ?? [])
      return (endpoints ?? []).flatMap(({ addresses }) =>
        addresses.map((ip) => ({ ip, ...(numbers.length > 0 && { ports: numbers }) })),
      )
    }),
    ...(metadata?.labels && { labels: metadata.labels }),
  }
}
