import type { EventRecord } from './event-record.ts'

interface Creation {
  readonly podUid: string
  readonly container: string
  readonly at: number
}

/**
 * When containers were created, by events of the kubelet. A container runs only after it was created in the network of its pod,
 * and the kubelet may report a later time as its start.
 */
export class ContainerCreations {
  readonly #ofEvent = new Map<string, Creation>()
  readonly #ofPod = new Map<string, Map<string, Creation>>()

  /** True if it is new. */
  put({ uid, at, created }: EventRecord): boolean {
    if (!created || this.#ofEvent.get(uid)?.at === at) return false
    this.remove(uid)
    const creation = { ...created, at }
    this.#ofEvent.set(uid, creation)
    const ofPod = this.#ofPod.get(created.podUid) ?? new Map<string, Creation>()
    this.#ofPod.set(created.podUid, ofPod.set(uid, creation))
    return true
  }

  remove(eventUid: string): void {
    const known = this.#ofEvent.get(eventUid)
    if (!known) return
    this.#ofEvent.delete(eventUid)
    const ofPod = this.#ofPod.get(known.podUid)
    ofPod?.delete(eventUid)
    if (ofPod?.size === 0) this.#ofPod.delete(known.podUid)
  }

  keepOnly(eventUids: ReadonlySet<string>): void {
    for (const uid of this.#ofEvent.keys()) if (!eventUids.has(uid)) this.remove(uid)
  }

  /** When the first container of a pod was created. Of a container that was created again the last time counts. */
  firstOf(podUid: string): number | undefined {
    const last = new Map<string, number>()
    for (const { container, at } of this.#ofPod.get(podUid)?.values() ?? [])
      last.set(container, Math.max(at, last.get(container) ?? at))
    return last.size > 0 ? Math.min(...last.values()) : undefined
  }
}
