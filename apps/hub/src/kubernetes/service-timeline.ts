import type { Service, ServiceEndpoint } from '@tapdeck/inventory'
import type { PodTime } from './pod-timeline.ts'
import type { ServiceRecord } from './service-record.ts'
import type { SliceRecord } from './slice-record.ts'

interface EndpointTime {
  readonly ip: string
  readonly ports: readonly number[]
  readonly podUid: string | undefined
  from: number | undefined
  /** `from` is the begin of the pod. A slice may be listed before its pod: then it is the begin of the slice. */
  beganWithPod: boolean
  until: number | undefined
}

interface Live {
  record: ServiceRecord | undefined
  readonly slices: Map<string, SliceRecord>
  readonly endpoints: Map<string, EndpointTime>
  past: EndpointTime[]
  /** As of the last change. */
  built: Service | undefined
}

/** Past endpoints of one service that are kept at most. */
const MAX_PAST_ENDPOINTS = 5000

/** Services with the time of each endpoint behind them. The time of an endpoint ends with its pod. */
export class ServiceTimeline {
  readonly #live = new Map<string, Live>()
  readonly #ofPod = new Map<string, Set<string>>()
  readonly #sliceKeys = new Map<string, string>()
  #past: Service[] = []
  readonly #timeOfPod: (uid: string) => PodTime | undefined

  constructor(timeOfPod: (uid: string) => PodTime | undefined) {
    this.#timeOfPod = timeOfPod
  }

  *[Symbol.iterator](): Generator<Service> {
    for (const live of this.#live.values()) {
      live.built ??= live.record && build(live.record, live)
      if (live.built) yield live.built
    }
    yield* this.#past
  }

  get past(): number {
    return this.#past.length
  }

  restore(services: readonly Service[]): void {
    for (const service of services) {
      if (service.until !== undefined) {
        this.#past.push(service)
        continue
      }
      const live = this.#at(`${service.namespace}/${service.name}`)
      const { name, namespace, uid = '', ips = [], nodePorts = [], from } = service
      const { externalName, labels, annotations } = service
      live.record = {
        ...{ name, namespace, uid, ips, nodePorts, from },
        ...(externalName !== undefined && { externalName }),
        ...(labels && { labels }),
        ...(annotations && { annotations }),
      }
      for (const endpoint of service.endpoints ?? []) {
        const { ip, ports = [] } = endpoint
        const { from: began, until } = endpoint
        const time = { ip, ports, podUid: undefined, from: began, beganWithPod: false, until }
        if (endpoint.until === undefined) live.endpoints.set(endpointKey(ip, ports), time)
        else live.past.push(time)
      }
    }
  }

  put(record: ServiceRecord, now: number): void {
    const key = `${record.namespace}/${record.name}`
    const known = this.#live.get(key)
    if (known?.record && known.record.uid !== '' && known.record.uid !== record.uid) this.#end(key, now)
    const live = this.#at(key)
    live.record = record
    live.built = undefined
  }

  remove(uid: string, now: number): void {
    for (const [key, { record }] of this.#live) if (record?.uid === uid) this.#end(key, now)
  }

  keepOnly(uids: ReadonlySet<string>, now: number): void {
    for (const [key, { record }] of this.#live) if (record && !uids.has(record.uid)) this.#end(key, now)
  }

  putSlice(slice: SliceRecord, now: number): void {
    const key = `${slice.namespace}/${slice.service}`
    this.#sliceKeys.set(slice.uid, key)
    const live = this.#at(key)
    const isNew = !live.slices.has(slice.uid)
    live.slices.set(slice.uid, slice)
    this.#reconcile(key, live, isNew ? (slice.from ?? now) : now, now)
  }

  removeSlice(uid: string, now: number): void {
    const key = this.#sliceKeys.get(uid)
    this.#sliceKeys.delete(uid)
    const live = key === undefined ? undefined : this.#live.get(key)
    if (key !== undefined && live?.slices.delete(uid)) this.#reconcile(key, live, now, now)
  }

  keepOnlySlices(uids: ReadonlySet<string>, now: number): void {
    for (const [uid, key] of this.#sliceKeys)
      if (!uids.has(uid)) {
        this.#sliceKeys.delete(uid)
        this.#live.get(key)?.slices.delete(uid)
      }
    // Endpoints of an earlier run that no slice has any more.
    for (const [key, live] of [...this.#live]) this.#reconcile(key, live, now, now)
  }

  /** The time of a pod is known better: its endpoints follow. */
  podChanged(uid: string, { from, until }: PodTime): void {
    for (const key of this.#ofPod.get(uid) ?? []) {
      const live = this.#live.get(key)
      if (!live) continue
      live.built = undefined
      for (const endpoint of live.endpoints.values())
        if (endpoint.podUid === uid && from !== undefined && !isKnownFrom(endpoint, from)) {
          endpoint.from = from
          endpoint.beganWithPod = true
        }
      if (until === undefined) continue
      for (const endpoint of [...live.endpoints.values(), ...live.past])
        if (endpoint.podUid === uid) endpoint.until = Math.min(endpoint.until ?? until, until)
    }
    if (until !== undefined) this.#ofPod.delete(uid)
  }

  prune(before: number, most: number): number {
    const lasts = ({ until }: { readonly until?: number | undefined }) =>
      until === undefined || until >= before
    this.#past = this.#past.filter(lasts)
    for (const live of this.#live.values()) {
      const kept = live.past.filter(lasts)
      if (kept.length < live.past.length) live.built = undefined
      live.past = kept
    }
    const over = Math.max(0, this.#past.length - most)
    this.#past.splice(0, over)
    return over
  }

  #reconcile(key: string, live: Live, from: number, now: number): void {
    const present = new Set<string>()
    for (const { endpoints, ports } of live.slices.values())
      for (const { ip, podUid } of endpoints) {
        const at = endpointKey(ip, ports)
        present.add(at)
        const known = live.endpoints.get(at)
        if (known && (known.podUid === podUid || known.podUid === undefined)) {
          if (podUid !== undefined && known.podUid === undefined)
            live.endpoints.set(at, { ...known, podUid, ...this.#begin(podUid, known.from) })
          if (podUid !== undefined) this.#link(podUid, key)
          continue
        }
        if (known) live.past.push({ ...known, until: known.until ?? now })
        live.endpoints.set(at, { ip, ports, podUid, ...this.#begin(podUid, from), until: undefined })
        if (podUid !== undefined) this.#link(podUid, key)
      }
    for (const [at, endpoint] of live.endpoints) {
      if (present.has(at)) continue
      live.endpoints.delete(at)
      live.past.push({ ...endpoint, until: endpoint.until ?? now })
    }
    if (live.past.length > MAX_PAST_ENDPOINTS) live.past.splice(0, live.past.length - MAX_PAST_ENDPOINTS)
    live.built = undefined
    if (!live.record && live.slices.size === 0 && live.endpoints.size === 0) this.#live.delete(key)
  }

  /** A pod is selected from its beginning; the slice only learns of it later. */
  #begin(podUid: string | undefined, otherwise: number | undefined) {
    const ofPod = podUid === undefined ? undefined : this.#timeOfPod(podUid)?.from
    return { from: ofPod ?? otherwise, beganWithPod: ofPod !== undefined }
  }

  #end(key: string, now: number): void {
    const live = this.#live.get(key)
    if (!live?.record) return
    const service = build(live.record, live)
    this.#past.push({ ...service, until: Math.max(now, service.from ?? now) })
    live.record = undefined
    live.past = []
    live.built = undefined
    if (live.slices.size === 0) this.#live.delete(key)
  }

  #link(podUid: string, key: string): void {
    const services = this.#ofPod.get(podUid)
    if (services) services.add(key)
    else this.#ofPod.set(podUid, new Set([key]))
  }

  #at(key: string): Live {
    let live = this.#live.get(key)
    if (!live) {
      live = { record: undefined, slices: new Map(), endpoints: new Map(), past: [], built: undefined }
      this.#live.set(key, live)
    }
    return live
  }
}

function build(record: ServiceRecord, { endpoints, past }: Live): Service {
  const { uid, name, namespace, ips, nodePorts, externalName, labels, annotations, from } = record
  const ends = [...past, ...endpoints.values()].map(endpointOf)
  return {
    name,
    namespace,
    ...(ips.length > 0 && { ips }),
    ...(nodePorts.length > 0 && { nodePorts }),
    ...(externalName !== undefined && { externalName }),
    ...(ends.length > 0 && { endpoints: ends }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(uid !== '' && { uid }),
    ...(from !== undefined && { from }),
  }
}

function endpointOf({ ip, ports, from, until }: EndpointTime): ServiceEndpoint {
  return {
    ip,
    ...(ports.length > 0 && { ports }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until: Math.max(until, from ?? until) }),
  }
}

/** The begin of a pod may turn out to be earlier. */
function isKnownFrom({ from, beganWithPod }: EndpointTime, begin: number): boolean {
  return beganWithPod && from !== undefined && from <= begin
}

function endpointKey(ip: string, ports: readonly number[]): string {
  return `${ip} ${ports.join()}`
}
