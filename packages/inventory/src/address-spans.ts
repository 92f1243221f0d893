import type { Node, Pod, Service } from './inventory.ts'
import type { Names } from './names.ts'

/** Something that holds an address for a time. */
export interface Held {
  readonly key: string
  /** Of two that began at the same time, the lower counts. */
  readonly order: number
  readonly from: number
  readonly until: number
}

interface HeldByPod extends Held {
  readonly pod: Pod
}

export interface HeldByNode extends Held {
  readonly node: Node
}

interface HeldByService extends Held {
  readonly service: Service
  /** It is an endpoint of the service, which selects the pod there. */
  readonly selects?: boolean
  /** Undefined: all ports. */
  readonly ports?: readonly number[] | undefined
}

/** All that holds or held an address. */
export interface Address {
  readonly pods: HeldByPod[]
  readonly services: HeldByService[]
  readonly nodes: HeldByNode[]
}

/** Between two changes of an address its names depend on nothing but the port. */
export interface Span {
  readonly from: number
  readonly byPort: ReadonlyMap<number, Names>
  readonly otherwise: Names
}

const noNames: Names = {}

/** An address goes to pods of the same node again: until its next pod is known, it is on the node of its last one. */
const NODE_KEPT_MS = 600_000

export function addressSpans(address: Address): Span[] {
  const edges = new Set<number>([Number.NEGATIVE_INFINITY])
  for (const { from, until } of [...address.pods, ...address.services, ...address.nodes]) {
    edges.add(from)
    if (until !== Number.POSITIVE_INFINITY) edges.add(until)
  }
  for (const { until, pod } of address.pods)
    if (until !== Number.POSITIVE_INFINITY && pod.node !== undefined) edges.add(until + NODE_KEPT_MS)
  return [...edges].sort((a, b) => (a < b ? -1 : 1)).map((from) => spanFrom(address, from))
}

/** The last span that begins at or before the time. The newest is the usual answer, so it is tried first. */
export function spanAt(spans: readonly Span[], time: number): Span {
  let low = 0
  let high = spans.length - 1
  if (spans[high]!.from <= time) return spans[high]!
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (spans[middle]!.from <= time) low = middle
    else high = middle - 1
  }
  return spans[low]!
}

/** Whether a pod had the address until a short time ago. */
export function hadPod({ pods }: Address, time: number): boolean {
  return lastPod(pods, time) !== undefined
}

/** The pod that left last, of those that left a short time ago. */
function lastPod(pods: readonly HeldByPod[], time: number): Pod | undefined {
  let last: HeldByPod | undefined
  for (const one of pods)
    if (one.pod.ports === undefined && one.until <= time && time < one.until + NODE_KEPT_MS)
      if (last === undefined || one.until > last.until) last = one
  return last?.pod
}

function spanFrom(address: Address, time: number): Span {
  const holds = ({ from, until }: Held) => from <= time && time < until
  const pods = address.pods.filter(holds)
  const services = address.services.filter(holds)
  const node = newest(address.nodes.filter(holds))?.node.name ?? lastPod(address.pods, time)?.node
  const whole = newest(pods.filter(({ pod }) => pod.ports === undefined))?.pod
  const podAt = (port: number) => newest(pods.filter(({ pod }) => pod.ports?.includes(port)))?.pod ?? whole
  const everywhere = serviceOf(
    services.filter((one) => one.ports === undefined),
    whole,
  )
  const ports = new Set([
    ...services.flatMap((one) => one.ports ?? []),
    ...pods.flatMap(({ pod }) => pod.ports ?? []),
  ])
  const byPort = new Map<number, Names>()
  for (const port of ports) {
    const pod = podAt(port)
    const precise = serviceOf(
      services.filter((one) => one.ports?.includes(port)),
      pod,
    )
    byPort.set(port, namesOf(pod, precise ?? (pod === whole ? everywhere : undefined), node))
  }
  const selecting = services.filter(({ selects }) => selects)
  const client = everywhere ?? (whole && serviceOf(selecting, whole))
  return { from: time, byPort, otherwise: namesOf(whole, client, node) }
}

/**
 * The service that an address belongs to comes before those that select its pod. Of several that select the pod, one with an
 * address of its own counts, then the first by name: when the hub learned of them must not matter.
 */
function serviceOf(services: readonly HeldByService[], pod: Pod | undefined): Service | undefined {
  const own = newest(services.filter(({ selects }) => !selects))?.service
  if (own) return own
  // Endpoints that began before the pod may be of the pod that had the address before, in the second in which both hold it.
  const ofPod = services.filter(({ from }) => from >= (pod?.from ?? Number.NEGATIVE_INFINITY))
  const rank = ({ ips, namespace, name }: Service) => `${ips?.length ? 0 : 1}${namespace}/${name}`
  return (ofPod.length > 0 ? ofPod : services)
    .map(({ service }) => service)
    .reduce<Service | undefined>((a, b) => (a === undefined || rank(b) < rank(a) ? b : a), undefined)
}

/** Whose time began last; of equals the first listed. */
function newest<Kind extends Held>(candidates: readonly Kind[]): Kind | undefined {
  let best = candidates[0]
  for (const one of candidates)
    if (best !== undefined && (one.from > best.from || (one.from === best.from && one.order < best.order)))
      best = one
  return best
}

function namesOf(pod: Pod | undefined, service: Service | undefined, node: string | undefined): Names {
  if (pod === undefined && service === undefined) return node === undefined ? noNames : { node }
  const labels = pod?.labels ?? service?.labels
  const annotations = pod?.annotations ?? service?.annotations
  const workload = pod?.owners?.at(-1)
  const onNode = pod?.node ?? node
  return {
    ...(pod && { pod: pod.name }),
    ns: (pod ?? service)!.namespace,
    ...(service && { svc: service.name }),
    ...(onNode !== undefined && { node: onNode }),
    ...(workload && { workload: workload.name, workload_kind: workload.kind }),
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    ...(annotations && Object.keys(annotations).length > 0 && { annotations }),
  }
}
