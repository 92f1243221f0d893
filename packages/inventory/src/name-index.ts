import { canonicalIp } from '@tapdeck/ip'
import {
  type Address,
  addressSpans,
  type Held,
  type HeldByNode,
  hadPod,
  type Span,
  spanAt,
} from './address-spans.ts'
import type { Inventory } from './inventory.ts'
import { entriesOf, inventoryOf, type NameEntry } from './name-entry.ts'
import type { Names } from './names.ts'
import type { NamesDelta } from './names-delta.ts'
import { NamesOverTime } from './names-over-time.ts'
import { nodeAddresses } from './node-addresses.ts'
import { NodeRanges } from './node-ranges.ts'

const MAPPED = '::ffff:'
const noNames: Names = {}
const neverNamed = new NamesOverTime([{ from: Number.NEGATIVE_INFINITY, names: noNames }])

interface Indexed extends Address {
  /** Made at the first question after a change. */
  spans?: readonly Span[] | undefined
  /** At ports that no service names. */
  usual?: NamesOverTime | undefined
  /** Version of the ranges that the spans were made with. */
  ranges?: number
}

/** All names by address, changed entry by entry. A change costs only the addresses that it touches. */
export class NameIndex {
  readonly #entries = new Map<string, NameEntry>()
  readonly #order = new Map<string, number>()
  readonly #addresses = new Map<string, Indexed>()
  /** Addresses of nodes. Services with node ports are named at each of them. */
  readonly #nodeAddresses = new Map<string, number>()
  readonly #ranges = new NodeRanges()
  /** Names of addresses that have nothing but the range that they are in. */
  readonly #inRange = new WeakMap<readonly HeldByNode[], Indexed>()
  readonly #nodePortServices = new Set<string>()
  #last = 0
  #version = 0

  constructor(inventory?: Inventory) {
    if (inventory) this.apply({ put: [...entriesOf(inventory)], drop: [] })
  }

  get inventory(): Inventory {
    return inventoryOf(this.#entries.values())
  }

  get size(): number {
    return this.#entries.size
  }

  /** Counts the changes. */
  get version(): number {
    return this.#version
  }

  apply({ reset, put, drop }: NamesDelta): void {
    this.#version++
    if (reset) for (const key of [...this.#entries.keys()]) this.#remove(key, true)
    for (const key of drop) this.#remove(key, true)
    for (const [key, entry] of put) {
      this.#remove(key, false)
      this.#add(key, entry)
    }
  }

  /** Of several candidates the one whose time began last counts. The answer is shared: the same object each time. */
  resolve(text: string, port: number, timeMs: number): Names {
    const ip = unmapped(text)
    const address = this.#addresses.get(ip) ?? this.#rangeOf(ip)
    if (address === undefined) return noNames
    const span = spanAt(this.#spans(address, ip), timeMs)
    return span.byPort.get(port) ?? span.otherwise
  }

  /** The same for repeated lookups of one address and port. */
  behind(text: string, port: number): NamesOverTime {
    const ip = unmapped(text)
    const address = this.#addresses.get(ip) ?? this.#rangeOf(ip)
    if (address === undefined) return neverNamed
    const spans = this.#spans(address, ip)
    if (spans.some(({ byPort }) => byPort.has(port))) return overTime(spans, port)
    address.usual ??= overTime(spans, port)
    return address.usual
  }

  get hasRanges(): boolean {
    return this.#ranges.size > 0
  }

  awaitsPod(text: string, timeMs: number): boolean {
    const ip = unmapped(text)
    const address = this.#addresses.get(ip)
    if (address !== undefined && address.nodes.length > 0) return false
    if (address !== undefined && hadPod(address, timeMs)) return true
    return this.#ranges.at(ip)?.some(({ from, until }) => from <= timeMs && timeMs < until) ?? false
  }

  #spans(address: Indexed, ip: string): readonly Span[] {
    if (address.spans !== undefined && address.ranges === this.#ranges.version) return address.spans
    const held = this.#nodeAddresses.has(ip) ? this.#withNodePorts(address) : address
    const ranges = this.#ranges.at(ip) ?? []
    const nodes = [...held.nodes, ...ranges.filter(({ key }) => held.nodes.every((one) => one.key !== key))]
    address.spans = addressSpans({ ...held, nodes })
    address.usual = undefined
    address.ranges = this.#ranges.version
    return address.spans
  }

  #rangeOf(ip: string): Indexed | undefined {
    const nodes = this.#ranges.at(ip)
    if (nodes === undefined) return undefined
    let known = this.#inRange.get(nodes)
    if (known === undefined) {
      known = { pods: [], services: [], nodes: [] }
      this.#inRange.set(nodes, known)
    }
    return known
  }

  #withNodePorts(address: Indexed): Address {
    const services = [...address.services]
    for (const key of this.#nodePortServices) {
      const entry = this.#entries.get(key)
      if (entry?.kind !== 'service') continue
      const { service } = entry
      services.push({ ...this.#held(key, service), service, ports: service.nodePorts })
    }
    return { ...address, services }
  }

  #held(key: string, { from, until }: { readonly from?: number; readonly until?: number }): Held {
    return {
      key,
      order: this.#order.get(key)!,
      from: from ?? Number.NEGATIVE_INFINITY,
      until: until ?? Number.POSITIVE_INFINITY,
    }
  }

  #add(key: string, entry: NameEntry): void {
    if (!this.#order.has(key)) this.#order.set(key, this.#last++)
    this.#entries.set(key, entry)
    switch (entry.kind) {
      case 'pod': {
        const { pod } = entry
        for (const ip of pod.ips) this.#at(ip).pods.push({ ...this.#held(key, pod), pod })
        return
      }
      case 'service': {
        const { service } = entry
        const held = this.#held(key, service)
        for (const ip of service.ips ?? []) this.#at(ip).services.push({ ...held, service })
        for (const { ip, ports = service.ports, from, until } of service.endpoints ?? [])
          this.#at(ip).services.push({
            ...held,
            from: Math.max(held.from, from ?? held.from),
            until: Math.min(held.until, until ?? held.until),
            service,
            selects: true,
            ports,
          })
        if (service.nodePorts?.length) {
          this.#nodePortServices.add(key)
          this.#forgetNodeSpans()
        }
        return
      }
      case 'node': {
        const { node } = entry
        const held = { ...this.#held(key, node), node }
        this.#ranges.add(held)
        for (const ip of nodeAddresses(node)) {
          this.#at(ip).nodes.push(held)
          this.#nodeAddresses.set(ip, (this.#nodeAddresses.get(ip) ?? 0) + 1)
        }
      }
    }
  }

  #remove(key: string, gone: boolean): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    if (gone) {
      this.#entries.delete(key)
      this.#order.delete(key)
    }
    for (const ip of addressesOf(entry)) this.#removeAt(ip, key)
    if (this.#nodePortServices.delete(key)) this.#forgetNodeSpans()
    if (entry.kind !== 'node') return
    this.#ranges.remove(key)
    for (const ip of nodeAddresses(entry.node)) {
      const left = (this.#nodeAddresses.get(ip) ?? 1) - 1
      if (left > 0) this.#nodeAddresses.set(ip, left)
      else this.#nodeAddresses.delete(ip)
    }
  }

  #removeAt(ip: string, key: string): void {
    const known = canonicalIp(ip) ?? ip
    const address = this.#addresses.get(known)
    if (address === undefined) return
    const others = (held: Held) => held.key !== key
    const left: Indexed = {
      pods: address.pods.filter(others),
      services: address.services.filter(others),
      nodes: address.nodes.filter(others),
    }
    if (left.pods.length + left.services.length + left.nodes.length === 0) this.#addresses.delete(known)
    else this.#addresses.set(known, left)
  }

  /** The address to be changed: what was derived from it is forgotten. */
  #at(ip: string): Indexed {
    const key = canonicalIp(ip) ?? ip
    let address = this.#addresses.get(key)
    if (address === undefined) {
      address = { pods: [], services: [], nodes: [] }
      this.#addresses.set(key, address)
    }
    address.spans = undefined
    address.usual = undefined
    return address
  }

  #forgetNodeSpans(): void {
    for (const ip of this.#nodeAddresses.keys()) this.#at(ip)
  }
}

/** An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) has the names of the IPv4 address. */
function unmapped(ip: string): string {
  return ip.startsWith(MAPPED) && ip.includes('.') ? ip.slice(MAPPED.length) : ip
}

function addressesOf(entry: NameEntry): readonly string[] {
  if (entry.kind === 'pod') return entry.pod.ips
  if (entry.kind === 'node') return nodeAddresses(entry.node)
  const { ips = [], endpoints = [] } = entry.service
  return [...ips, ...endpoints.map(({ ip }) => ip)]
}

function overTime(spans: readonly Span[], port: number): NamesOverTime {
  return new NamesOverTime(
    spans.map(({ from, byPort, otherwise }) => ({ from, names: byPort.get(port) ?? otherwise })),
  )
}
