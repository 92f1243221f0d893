import { canonicalIp } from './canonical-ip.ts'
import type { Inventory, Pod, Service } from './inventory.ts'
import type { Names } from './names.ts'
import { NamesOverTime } from './names-over-time.ts'

/** Answers who stood behind an address at a time. Made once an inventory; cheap enough for every call. */
export interface Resolver {
  /** Of several candidates the one whose time began last counts. The answer is shared: the same object each time. */
  resolve(ip: string, port: number, timeMs: number): Names
  /** The same for somebody who asks for one address and port again and again. */
  behind(ip: string, port: number): NamesOverTime
}

interface Held {
  readonly from: number
  readonly until: number
}

interface Backing extends Held {
  readonly service: Service
  /** Undefined: all ports. */
  readonly ports: ReadonlySet<number> | undefined
}

interface Holding extends Held {
  readonly pod: Pod
}

interface Address {
  readonly pods: Holding[]
  readonly services: Backing[]
  /** Made at the first question. */
  spans?: readonly Span[]
  /** At ports that no service names. */
  usual?: NamesOverTime
}

/** Between two changes of an address its names depend on nothing but the port. */
interface Span {
  readonly from: number
  readonly byPort: ReadonlyMap<number, Names>
  readonly otherwise: Names
}

const nobody: Names = {}
const nobodyEver = new NamesOverTime([{ from: Number.NEGATIVE_INFINITY, names: nobody }])

export function createResolver(inventory: Inventory): Resolver {
  const addresses = new Map<string, Address>()
  const at = (ip: string): Address => {
    const key = canonicalIp(ip) ?? ip
    let address = addresses.get(key)
    if (address === undefined) {
      address = { pods: [], services: [] }
      addresses.set(key, address)
    }
    return address
  }
  for (const pod of inventory.pods) for (const ip of pod.ips) at(ip).pods.push({ pod, ...interval(pod) })
  for (const service of inventory.services) {
    const held = { service, ...interval(service) }
    for (const ip of service.ips ?? []) at(ip).services.push({ ...held, ports: undefined })
    for (const { ip, ports = service.ports } of service.endpoints ?? [])
      at(ip).services.push({ ...held, ports: ports && new Set(ports) })
  }
  return {
    resolve(ip, port, timeMs) {
      const address = addresses.get(ip)
      if (address === undefined) return nobody
      address.spans ??= spansOf(address)
      const span = spanAt(address.spans, timeMs)
      return span.byPort.get(port) ?? span.otherwise
    },
    behind(ip, port) {
      const address = addresses.get(ip)
      if (address === undefined) return nobodyEver
      address.spans ??= spansOf(address)
      if (address.spans.some(({ byPort }) => byPort.has(port))) return overTime(address.spans, port)
      address.usual ??= overTime(address.spans, port)
      return address.usual
    },
  }
}

function overTime(spans: readonly Span[], port: number): NamesOverTime {
  return new NamesOverTime(
    spans.map(({ from, byPort, otherwise }) => ({ from, names: byPort.get(port) ?? otherwise })),
  )
}

function interval({ from, until }: { readonly from?: number; readonly until?: number }): Held {
  return { from: from ?? Number.NEGATIVE_INFINITY, until: until ?? Number.POSITIVE_INFINITY }
}

function spansOf(address: Address): Span[] {
  const edges = new Set<number>([Number.NEGATIVE_INFINITY])
  for (const { from, until } of [...address.pods, ...address.services]) {
    edges.add(from)
    if (until !== Number.POSITIVE_INFINITY) edges.add(until)
  }
  return [...edges].sort((a, b) => (a < b ? -1 : 1)).map((from) => spanFrom(address, from))
}

function spanFrom(address: Address, time: number): Span {
  const pod = newest(address.pods.filter((one) => holds(one, time)))?.pod
  const services = address.services.filter((one) => holds(one, time))
  const everywhere = services.filter(({ ports }) => ports === undefined)
  const ports = new Set(services.flatMap((one) => [...(one.ports ?? [])]))
  const byPort = new Map<number, Names>()
  for (const port of ports) {
    const precise = newest(services.filter((one) => one.ports?.has(port)))
    byPort.set(port, namesOf(pod, precise?.service))
  }
  return { from: time, byPort, otherwise: namesOf(pod, newest(everywhere)?.service) }
}

function holds(held: Held, time: number): boolean {
  return held.from <= time && time < held.until
}

/** Whose time began last; of equals the first listed. */
function newest<Kind extends Held>(candidates: readonly Kind[]): Kind | undefined {
  let best = candidates[0]
  for (const one of candidates) if (best !== undefined && one.from > best.from) best = one
  return best
}

function namesOf(pod: Pod | undefined, service: Service | undefined): Names {
  if (pod === undefined && service === undefined) return nobody
  const labels = pod?.labels ?? service?.labels
  const annotations = pod?.annotations ?? service?.annotations
  return {
    ...(pod && { pod: pod.name }),
    ns: (pod ?? service)!.namespace,
    ...(service && { svc: service.name }),
    ...(pod?.node !== undefined && { node: pod.node }),
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    ...(annotations && Object.keys(annotations).length > 0 && { annotations }),
  }
}

/** The last span that begins at or before the time. The newest is the usual answer, so it is tried first. */
function spanAt(spans: readonly Span[], time: number): Span {
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
