import type { Node } from '@tapdeck/inventory'
import { blockContains, type IpBlock, parseIpBlock } from '@tapdeck/ip'
import type { PodRecord } from './pod-record.ts'

/**
 * Whether the pod network uses the blocks that Kubernetes assigns to nodes. Some (Calico with its own blocks, Cilium with a
 * pool) do not: there a block would place a pod on the wrong node. One pod outside of the blocks of its node shows it.
 */
export class NodeBlocks {
  readonly #byNode = new Map<string, readonly IpBlock[]>()
  /** The addresses of a pod on each node that is not known yet: pods and nodes are listed at the same time. */
  readonly #early = new Map<string, readonly string[]>()
  #isUsed = true

  put(node: string, podCIDRs: readonly string[]): void {
    const blocks = podCIDRs.flatMap((text) => parseIpBlock(text) ?? [])
    this.#byNode.set(node, blocks)
    const early = this.#early.get(node)
    this.#early.delete(node)
    if (early && contradicts(blocks, early)) this.#isUsed = false
  }

  remove(node: string): void {
    this.#byNode.delete(node)
  }

  check({ node, ips, hostNetwork }: PodRecord): void {
    if (hostNetwork || node === undefined || ips.length === 0 || !this.#isUsed) return
    const blocks = this.#byNode.get(node)
    if (blocks === undefined) this.#early.set(node, ips)
    else if (contradicts(blocks, ips)) this.#isUsed = false
  }

  /** The nodes with their blocks, or without them. */
  inUse(nodes: readonly Node[]): readonly Node[] {
    return this.#isUsed ? nodes : nodes.map(({ podCIDRs: _, ...node }) => node)
  }
}

function contradicts(blocks: readonly IpBlock[], ips: readonly string[]): boolean {
  return ips.some((ip) => {
    const ofFamily = blocks.filter(({ bytes }) => (bytes.length === 4) !== ip.includes(':'))
    return ofFamily.length > 0 && !ofFamily.some((block) => blockContains(block, ip))
  })
}
