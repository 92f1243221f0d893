import { type IpBlock, parseIp, parseIpBlock } from '@tapdeck/ip'
import type { HeldByNode } from './address-spans.ts'

/** The addresses of pods by node. Blocks do not change while a node exists, and are known before its pods. */
export class NodeRanges {
  /** By length and family of the prefix, then by the prefix. */
  readonly #lengths = new Map<
    string,
    { readonly mask: IpBlock; readonly holders: Map<string, HeldByNode[]> }
  >()
  #version = 0

  /** Counts the changes. */
  get version(): number {
    return this.#version
  }

  get size(): number {
    return this.#lengths.size
  }

  add(holder: HeldByNode): void {
    for (const text of holder.node.podCIDRs ?? []) {
      const block = parseIpBlock(text)
      if (block === undefined) continue
      this.#version++
      const length = `${block.bytes.length}/${block.bits}`
      const known = this.#lengths.get(length) ?? { mask: block, holders: new Map() }
      const prefix = prefixOf(block.bytes, block.bits)
      known.holders.set(prefix, [...(known.holders.get(prefix) ?? []), holder])
      this.#lengths.set(length, known)
    }
  }

  remove(key: string): void {
    for (const [length, { holders }] of this.#lengths) {
      for (const [prefix, all] of holders) {
        const left = all.filter((holder) => holder.key !== key)
        if (left.length === all.length) continue
        this.#version++
        if (left.length > 0) holders.set(prefix, left)
        else holders.delete(prefix)
      }
      if (holders.size === 0) this.#lengths.delete(length)
    }
  }

  /** The nodes that have or had the block of an address: the same list for all addresses of a block. */
  at(ip: string): readonly HeldByNode[] | undefined {
    if (this.#lengths.size === 0) return undefined
    const bytes = parseIp(ip)
    if (bytes === undefined) return undefined
    for (const { mask, holders } of this.#lengths.values()) {
      const found = mask.bytes.length === bytes.length && holders.get(prefixOf(bytes, mask.bits))
      if (found) return found
    }
    return undefined
  }
}

function prefixOf(bytes: Uint8Array, bits: number): string {
  const whole = bits >> 3
  const rest = bits & 7
  let prefix = String.fromCharCode(...bytes.subarray(0, whole))
  if (rest > 0) prefix += String.fromCharCode(bytes[whole]! & (0xff00 >> rest))
  return prefix
}
