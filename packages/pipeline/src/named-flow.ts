import type { Endpoint, Peers } from '@tapdeck/dissect'
import type { Address, Flow, Side } from '@tapdeck/wire'

/** The names of an address, all but those of DNS. The same object while they do not change. */
type Names = Omit<Partial<Endpoint>, 'ip' | 'port' | 'dns' | 'process'>

interface NamesOverTime {
  at(timeMs: number): Names
}

/** Names of addresses by time, such as the `Resolver` of an inventory. */
export interface AddressNames {
  /** Another number after each change of the names. */
  readonly version: number
  behind(ip: string, port: number): NamesOverTime
}

/** Names of addresses out of DNS answers, such as `SeenNames`. */
export interface DnsNames {
  learn(name: string, ip: string, timeMs: number, ttl: number): void
  name(ip: string, timeMs: number): string | undefined
}

/** Which processes are at the ends of connections. */
export interface ProcessOwners {
  of(flow: Flow, side: Side): string | undefined
}

/** One end of a flow as it was named last. */
class NamedEnd {
  readonly address: Address
  endpoint: Endpoint
  /** Who the inventory says it was. */
  #listed: NamesOverTime
  #names: Names | undefined
  #dns: string | undefined
  #process: string | undefined

  constructor(address: Address, resolver: AddressNames) {
    this.address = address
    this.#listed = resolver.behind(address.ip, address.port)
    this.endpoint = address
  }

  /** The names of addresses have changed, perhaps those of this one. */
  lookUp(resolver: AddressNames): void {
    this.#listed = resolver.behind(this.address.ip, this.address.port)
  }

  /** Whether that changed anything. */
  name(ms: number, dns: string | undefined, process: string | undefined): boolean {
    const names = this.#listed.at(ms)
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

/**
 * The ends of a flow with the names they have. Who they are is looked up for each call, since it depends on the time; peers
 * are made anew only where that changed, since making them costs more than looking.
 */
export class NamedFlow {
  readonly #flow: Flow
  readonly #resolver: AddressNames
  readonly #client: NamedEnd
  readonly #server: NamedEnd
  #version: number
  #forth: Peers
  #back: Peers

  constructor(flow: Flow, resolver: AddressNames) {
    this.#flow = flow
    this.#resolver = resolver
    this.#version = resolver.version
    this.#client = new NamedEnd(flow.ends[0], resolver)
    this.#server = new NamedEnd(flow.ends[1], resolver)
    this.#forth = pair(this.#client, this.#server)
    this.#back = pair(this.#server, this.#client)
  }

  /** False for another flow, for other names, and if the ends of the flow were swapped meanwhile. */
  isOf(flow: Flow, resolver: AddressNames): boolean {
    return this.#flow === flow && this.#resolver === resolver && this.#client.address === flow.ends[0]
  }

  /** The end on `side` first, with the names of a time (microseconds). */
  at(side: Side, time: number, dns?: DnsNames, owners?: ProcessOwners): Peers {
    if (this.#version !== this.#resolver.version) this.#lookUp()
    const ms = time / 1000
    const client = this.#name(this.#client, 0, ms, dns, owners)
    const server = this.#name(this.#server, 1, ms, dns, owners)
    if (client || server) {
      this.#forth = pair(this.#client, this.#server)
      this.#back = pair(this.#server, this.#client)
    }
    return side === 0 ? this.#forth : this.#back
  }

  #name(end: NamedEnd, side: Side, ms: number, dns?: DnsNames, owners?: ProcessOwners): boolean {
    return end.name(ms, dns?.name(end.address.ip, ms), owners?.of(this.#flow, side))
  }

  /** A connection can be older than the names of its ends, such as one of a pod that was reported after it. */
  #lookUp(): void {
    this.#version = this.#resolver.version
    this.#client.lookUp(this.#resolver)
    this.#server.lookUp(this.#resolver)
  }
}

function pair(src: NamedEnd, dst: NamedEnd): Peers {
  return { src: src.endpoint, dst: dst.endpoint }
}
