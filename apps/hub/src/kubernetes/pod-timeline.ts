import type { Owner, Pod } from '@tapdeck/inventory'
import type { OwnerReference } from './api-object.ts'
import { hasEnded, type PodRecord } from './pod-record.ts'

interface Live {
  readonly owner: OwnerReference | undefined
  /** At its own addresses first, then at those of its node. */
  readonly entries: readonly Pod[]
  /** Its address is not older: until then it had another, or none. */
  readonly since?: number | undefined
  /** When its network became ready. The address itself may only be reported when the pod has ended. */
  readonly ready?: number | undefined
}

/** When the addresses of a pod are its own. */
export interface PodTime {
  readonly from: number | undefined
  readonly until: number | undefined
}

/** The longest time from the creation of a container to the start that the kubelet reports. */
const MAX_START = 60_000
/** Ends of pods are whole seconds, rounded up. */
const SECOND = 1000

/** Pods with the time in which their addresses were theirs, by UID: those that exist, and those that existed. */
export class PodTimeline {
  readonly #live = new Map<string, Live>()
  readonly #byOwner = new Map<string, Set<string>>()
  #past: Pod[] = []
  readonly #ownersOf: (owner: OwnerReference | undefined) => Owner[]

  constructor(ownersOf: (owner: OwnerReference | undefined) => Owner[]) {
    this.#ownersOf = ownersOf
  }

  get live(): number {
    return this.#live.size
  }

  get past(): number {
    return this.#past.length
  }

  *[Symbol.iterator](): Generator<Pod> {
    for (const { entries } of this.#live.values()) yield* entries
    yield* this.#past
  }

  /** Entries of an earlier run. Those without an end are closed once a list shows that they are gone. */
  restore(pods: readonly Pod[]): void {
    const lastEnds = new Map<string, number>()
    for (const { uid, until } of pods)
      if (uid !== undefined && until !== undefined)
        lastEnds.set(uid, Math.max(until, lastEnds.get(uid) ?? until))
    for (const pod of pods)
      if (pod.until !== undefined || pod.uid === undefined) this.#past.push(pod)
      else {
        const known = this.#live.get(pod.uid)
        const entries = [...(known?.entries ?? []), pod]
        this.#live.set(pod.uid, { owner: undefined, entries, since: lastEnds.get(pod.uid) })
      }
  }

  /** `created` is when its first container was created, if that is known. */
  put(given: PodRecord, now: number, created?: number): PodTime {
    const { uid, owner } = given
    const before = this.#live.get(uid)
    const known = before?.entries[0]
    const record = known ? withLastIps(given, known) : given
    const had = known !== undefined && known.ips.length > 0
    const moved = had && !sameIps(known, record)
    // A new sandbox, and with it another address: the pod had the old one until now.
    if (moved) this.#end(before!.entries, now)
    const since = moved ? now : before?.since
    const ready = record.networkReady ?? (hasEnded(record) && !moved ? before?.ready : undefined)
    const begin = earliest(had && !moved ? known.from : undefined, record.from)
    const from = notBefore(since, this.#earlier(record, begin, created ?? ready))
    const until = hasEnded(record) ? (known?.until ?? record.until ?? now) : undefined
    const entries = entriesOf(record, this.#ownersOf(owner), { from, until })
    this.#live.set(uid, { owner, entries, since, ready })
    if (owner) this.#own(owner.uid, uid)
    return { from, until }
  }

  /** The chain above this owner is known better now. */
  reown(ownerUid: string): void {
    for (const uid of this.#byOwner.get(ownerUid) ?? []) {
      const live = this.#live.get(uid)
      if (!live) continue
      const owners = this.#ownersOf(live.owner)
      const entries = live.entries.map((pod) => ({ ...pod, owners }))
      this.#live.set(uid, { ...live, entries })
    }
  }

  /** Undefined where no such pod was known. */
  remove(uid: string, last: PodRecord | undefined, now: number): PodTime | undefined {
    const live = this.#live.get(uid)
    if (!live) return undefined
    this.#live.delete(uid)
    if (live.owner) this.#disown(live.owner.uid, uid)
    const until = live.entries[0]?.until ?? Math.min(last?.until ?? now, now)
    this.#end(live.entries, until)
    return { from: live.entries[0]?.from, until }
  }

  /** UIDs of those that are not among these. */
  others(uids: ReadonlySet<string>): string[] {
    return [...this.#live.keys()].filter((uid) => !uids.has(uid))
  }

  timeOf(uid: string): PodTime | undefined {
    const pod = this.#live.get(uid)?.entries[0]
    return pod && { from: pod.from, until: pod.until }
  }

  /** Forgets those that ended before a time, and the oldest above a number. Returns how many of the latter. */
  prune(before: number, most: number): number {
    this.#past = this.#past.filter(({ until = before }) => until >= before)
    const over = Math.max(0, this.#past.length - most)
    this.#past.splice(0, over)
    return over
  }

  #end(entries: readonly Pod[], until: number): void {
    for (const pod of entries)
      if (pod.ips.length > 0) {
        const end = pod.until ?? until
        // An end before the begin would be an error of clocks: the pod was there for no time.
        this.#past.push({ ...pod, until: Math.max(end, pod.from ?? end) })
      }
  }

  /** Others than the kubelet may write events too: one never takes an address from the pod that had it. */
  #earlier(record: PodRecord, begin: number | undefined, hint: number | undefined): number | undefined {
    if (begin === undefined || hint === undefined || hint >= begin) return begin
    const lowest = Math.max(hint, begin - MAX_START, record.accepted ?? hint)
    return Math.min(begin, Math.max(lowest, this.#heldUntil(record, begin)))
  }

  /** Until when another pod had one of these addresses, of those that came before a time. */
  #heldUntil({ uid, ips, hostNetwork }: PodRecord, before: number): number {
    let held = Number.NEGATIVE_INFINITY
    if (hostNetwork) return held
    const compare = (pod: Pod) => {
      if (pod.uid === uid || (pod.from ?? 0) >= before || !pod.ips.some((ip) => ips.includes(ip))) return
      held = Math.max(held, pod.until === undefined ? before : pod.until - SECOND)
    }
    for (const { entries } of this.#live.values()) entries.forEach(compare)
    this.#past.forEach(compare)
    return held
  }

  #own(ownerUid: string, uid: string): void {
    const pods = this.#byOwner.get(ownerUid)
    if (pods) pods.add(uid)
    else this.#byOwner.set(ownerUid, new Set([uid]))
  }

  #disown(ownerUid: string, uid: string): void {
    const pods = this.#byOwner.get(ownerUid)
    pods?.delete(uid)
    if (pods?.size === 0) this.#byOwner.delete(ownerUid)
  }
}

/** Starts of containers are forgotten as they restart: the first that was seen counts. */
function earliest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

function notBefore(since: number | undefined, from: number | undefined): number | undefined {
  return since === undefined ? from : Math.max(since, from ?? since)
}

/** The kubelet may leave the address out when it reports the end of a pod. */
function withLastIps(record: PodRecord, { ips }: Pod): PodRecord {
  return hasEnded(record) && !record.hostNetwork && record.ips.length === 0 ? { ...record, ips } : record
}

function sameIps(pod: Pod, { ips, hostNetwork }: PodRecord): boolean {
  return hostNetwork || pod.ips.join() === ips.join()
}

function entriesOf(record: PodRecord, owners: readonly Owner[], { from, until }: PodTime): Pod[] {
  const { name, namespace, uid, node, labels, annotations, ips, hostIps, hostPorts, hostNetwork } = record
  const pod = {
    name,
    namespace,
    ...(node !== undefined && { node }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(owners.length > 0 && { owners }),
    uid,
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until: Math.max(until, from ?? until) }),
  }
  const onHost = hostPorts.length > 0 ? [{ ...pod, ips: hostIps, ports: hostPorts }] : []
  // Without ports of its own a pod of the host network cannot be distinguished from the others there.
  if (hostNetwork) return onHost.length > 0 ? onHost : [{ ...pod, ips: [] }]
  return [{ ...pod, ips }, ...onHost]
}
