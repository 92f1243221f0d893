import type { Inventory, Node } from '@tapdeck/inventory'
import { NodeBlocks } from './node-blocks.ts'
import type { NodeRecord } from './node-record.ts'
import { OwnerChain } from './owner-chain.ts'
import type { PodRecord } from './pod-record.ts'
import { PodTimeline } from './pod-timeline.ts'
import { ServiceTimeline } from './service-timeline.ts'
import type { OwnedRecord } from './workload-record.ts'

/** Pods and services of the past that are kept at most. Each takes about a kilobyte. */
const MAX_PAST = 50_000

/** Who had which address in a cluster, and when. Fed with records; no clock of its own. */
export class ClusterNames {
  /** Those of the past that were given up before the recording forgot their time. */
  forgotten = 0
  readonly owners = new OwnerChain()
  readonly pods = new PodTimeline((owner) => this.owners.of(owner))
  readonly services = new ServiceTimeline((uid) => this.pods.timeOf(uid))
  readonly #nodes = new Map<string, Node>()
  #pastNodes: Node[] = []
  readonly #blocks = new NodeBlocks()

  get inventory(): Inventory {
    return {
      pods: [...this.pods],
      services: [...this.services],
      nodes: this.#blocks.inUse([...this.#nodes.values(), ...this.#pastNodes]),
    }
  }

  restore({ pods, services, nodes = [] }: Inventory): void {
    this.pods.restore(pods)
    this.services.restore(services)
    for (const node of nodes)
      if (node.until === undefined) this.#nodes.set(node.uid ?? node.name, node)
      else this.#pastNodes.push(node)
  }

  /** `created` is when its first container was created, if that is known. */
  putPod(record: PodRecord, now: number, created?: number): void {
    this.#blocks.check(record)
    this.services.podChanged(record.uid, this.pods.put(record, now, created))
  }

  removePod(uid: string, last: PodRecord | undefined, now: number): void {
    const time = this.pods.remove(uid, last, now)
    if (time) this.services.podChanged(uid, time)
  }

  keepOnlyPods(uids: ReadonlySet<string>, now: number): void {
    for (const uid of this.pods.others(uids)) this.removePod(uid, undefined, now)
  }

  putOwned(record: OwnedRecord): void {
    if (this.owners.put(record)) this.pods.reown(record.uid)
  }

  putNode({ uid, name, ips, podCIDRs, from }: NodeRecord, now: number): void {
    this.#blocks.put(name, podCIDRs)
    const known = this.#nodes.get(uid)
    const node = { name, ips, ...(podCIDRs.length > 0 && { podCIDRs }), uid }
    const moved = known !== undefined && known.ips.join() !== ips.join()
    if (moved) this.#pastNodes.push({ ...known, until: Math.max(now, known.from ?? now) })
    const since = moved ? now : known ? known.from : from
    this.#nodes.set(uid, { ...node, ...(since !== undefined && { from: since }) })
  }

  removeNode(uid: string, now: number): void {
    const known = this.#nodes.get(uid)
    if (!known) return
    this.#nodes.delete(uid)
    this.#blocks.remove(known.name)
    this.#pastNodes.push({ ...known, until: Math.max(now, known.from ?? now) })
  }

  keepOnlyNodes(uids: ReadonlySet<string>, now: number): void {
    for (const uid of this.#nodes.keys()) if (!uids.has(uid)) this.removeNode(uid, now)
  }

  /** Forgets what ended before the oldest packet that is recorded. */
  prune(before: number): void {
    this.forgotten += this.pods.prune(before, MAX_PAST) + this.services.prune(before, MAX_PAST)
    this.#pastNodes = this.#pastNodes.filter(({ until = before }) => until >= before)
  }
}
