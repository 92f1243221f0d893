import type { Peers } from '@tapdeck/dissect'
import type { Flow, Side } from '@tapdeck/wire'
import { type AddressNames, type DnsNames, NamedFlow, type ProcessOwners } from './named-flow.ts'

/** Flows whose peers are remembered, by the last bits of their ids: of a hundred flows hardly two share a place. */
const REMEMBERED = 8192

/** Names the ends of flows. */
export class PeerNames {
  readonly #resolver: () => AddressNames
  readonly #dns: DnsNames | undefined
  readonly #owners: ProcessOwners | undefined
  readonly #flows = new Array<NamedFlow | undefined>(REMEMBERED).fill(undefined)

  /** The resolver may change at any time. */
  constructor(resolver: () => AddressNames, dns?: DnsNames, owners?: ProcessOwners) {
    this.#resolver = resolver
    this.#dns = dns
    this.#owners = owners
  }

  /** The two ends of a flow with the names they had at a time (microseconds): the one on `side` first. */
  of(flow: Flow, side: Side, time: number): Peers {
    return this.#flow(flow).at(side, time, this.#dns, this.#owners)
  }

  #flow(flow: Flow): NamedFlow {
    const at = flow.id & (REMEMBERED - 1)
    const resolver = this.#resolver()
    const known = this.#flows[at]
    if (known?.isOf(flow, resolver)) return known
    const named = new NamedFlow(flow, resolver)
    this.#flows[at] = named
    return named
  }
}
