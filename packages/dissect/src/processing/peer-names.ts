import type { Address, Flow, Side } from '@tapdeck/wire'
import type { Endpoint } from '../contract/call.ts'

/** The names of an address, all but those of DNS. The same object while they do not change. */
type Names = Omit<Partial<Endpoint>, 'ip' | 'port' | 'dns' | 'process'>

interface NamesOverTime {
  at(timeMs: number): Names
}

/** Names of addresses by time, such as the `Resolver` of an inventory. */
export interface AddressNames {
  behind(ip: string, port: number): NamesOverTime
}

/** Names of addresses out of DNS answers, such as `SeenNames`. */
export interface DnsNames {
  learn(name: string, ip: string, timeMs: number, ttl: number): void
  name(ip: string, timeMs: number): string | undefined
}

/** The two peers with the names they had: the requester first. */
export interface Peers {
  readonly src: Endpoint
  readonly dst: Endpoint
}

/** Which processes are at the ends of connections. */
export interface ProcessOwners {
  of(flow: Flow, side: Side): string | undefined
}

/** Flows whose peers are remembered, by the last bits of their ids: of a hundred flows hardly two share a place. */
const REMEMBERED = 8192

/** One end of a flow as it was named last. */
class NamedEnd {
  readonly address: Address
  /** Who the inventory says it was. */
  readonly listed: NamesOverTime
  endpoint: Endpoint
  #names: Names | undefined
  #dns: string | undefined
  #process: string | undefined

  constructor(address: Address, resolver: AddressNames) {
    this.address = address
    this.listed = resolver.behind(address.ip, address.port)
    this.endpoint = address
  }

  /** Whether that changed anything. */
  name(names: Names, dns: string | undefined, process: string | undefined): boolean {
    if (names === this.#names && dns === this.#dns && process === this.#process) return false
    this.#names = names
    this.#dns = dns
    this.#process = process
    const { ip, port } = this.address
    const peer = dns === undefined ? { ip, port, ...names } : { ip, port, ...names, dns }
    this.endpoint = process === undefined ? peer : { ...peer, process }
    return true
  }
}

class NamedFlow {
  readonly flow: Flow
  readonly resolver: AddressNames
  readonly client: NamedEnd
  readonly server: NamedEnd
  forth: Peers
  back: Peers

  constructor(flow: Flow, resolver: AddressNames) {
    this.flow = flow
    this.resolver = resolver
    this.client = new NamedEnd(flow.ends[0], resolver)
    this.server = new NamedEnd(flow.ends[1], resolver)
    this.forth = pair(this.client, this.server)
    this.back = pair(this.server, this.client)
  }

  renamed(): void {
    this.forth = pair(this.client, this.server)
    this.back = pair(this.server, this.client)
  }
}

function pair(src: NamedEnd, dst: NamedEnd): Peers {
  return { src: src.endpoint, dst: dst.endpoint }
}

/**
 * Names the ends of flows. Who they were is looked up for each call, since it depends on the time; peers are made anew
 * only where that changed, since making them costs more than looking.
 */
export class PeerNames {
  readonly #resolver: () => AddressNames
  readonly #seen: DnsNames
  readonly #owners: ProcessOwners | undefined
  readonly #flows = new Array<NamedFlow | undefined>(REMEMBERED).fill(undefined)

  /** The resolver may change at any time. */
  constructor(resolver: () => AddressNames, seen: DnsNames, owners?: ProcessOwners) {
    this.#resolver = resolver
    this.#seen = seen
    this.#owners = owners
  }

  /** The two ends of a flow with the names they had at a time (microseconds): the one on `side` first. */
  of(flow: Flow, side: Side, time: number): Peers {
    const named = this.#flow(flow)
    const client = this.#name(named.client, flow, 0, time / 1000)
    const server = this.#name(named.server, flow, 1, time / 1000)
    if (client || server) named.renamed()
    return side === 0 ? named.forth : named.back
  }

  /** What is remembered of it; nothing where another took its place, or its ends were the other way round. */
  #flow(flow: Flow): NamedFlow {
    const at = flow.id & (REMEMBERED - 1)
    const known = this.#flows[at]
    const resolver = this.#resolver()
    if (known?.flow === flow && known.resolver === resolver && known.client.address === flow.ends[0])
      return known
    const named = new NamedFlow(flow, resolver)
    this.#flows[at] = named
    return named
  }

  #name(end: NamedEnd, flow: Flow, side: Side, ms: number): boolean {
    const names = end.listed.at(ms)
    return end.name(names, this.#seen.name(end.address.ip, ms), this.#owners?.of(flow, side))
  }
}
