import type { Flow, Side } from '@tapdeck/wire'
import type { Call, Endpoint } from '../contract/call.ts'
import { addressAnswers } from '../protocols/dns/address-answers.ts'
import { ConnectionViews } from './connection-views.ts'
import type { AddressNames, DnsNames, Peers, ProcessOwners } from './named-flow.ts'
import { PeerNames } from './peer-names.ts'
import { SeenExchanges } from './seen-exchanges.ts'

export interface CallProcessorOptions {
  /** Names of addresses; may change at any time. */
  resolver(): AddressNames
  /** Empty at the beginning: the processor fills it. */
  readonly dnsNames: DnsNames
  readonly owners?: ProcessOwners | undefined
  readonly redactor?: { call(call: Call): Call } | undefined
  /** Which calls are wanted; default: all. */
  filter?(call: Call, peers: Peers): boolean
}

/**
 * What becomes of each call between the engine and its use: live, out of the recording, and in a dissection. An exchange
 * that is seen several times becomes one call; it is redacted; DNS answers give names; its ends are named; unwanted
 * calls are dropped.
 */
export class CallProcessor {
  /** Calls that were another view of one that was reported. */
  duplicates = 0
  readonly #options: CallProcessorOptions
  readonly #names: PeerNames
  readonly #views = new ConnectionViews()
  readonly #exchanges = new SeenExchanges()

  constructor(options: CallProcessorOptions) {
    this.#options = options
    this.#names = new PeerNames(() => options.resolver(), options.dnsNames, options.owners)
  }

  /** To be called for the first packet of a flow. */
  opened(flow: Flow): void {
    this.#views.opened(flow)
  }

  /** The call as it is to be kept; undefined: it is another view of a call before. */
  process(call: Call): Call | undefined {
    if (this.#exchanges.isSeen(call)) {
      this.duplicates++
      this.#views.leaveOut(call.flow)
      return undefined
    }
    this.#views.choose(call.flow, this.#views.of(call.flow))
    const kept = this.#options.redactor?.call(call) ?? call
    this.learn(kept)
    return kept
  }

  /** Takes names from a DNS call. */
  learn(call: Call): void {
    // Names are shown to all roles, and what was decrypted is not.
    if (call.protocol !== 'dns' || call.tls !== undefined) return
    const answers = addressAnswers(call)
    for (const { ip, ttl } of answers?.addresses ?? [])
      this.#options.dnsNames.learn(answers!.name, ip, call.end / 1000, ttl)
  }

  /** The ends of a processed call; undefined: it is not wanted. */
  name(call: Call): Peers | undefined {
    const peers = this.#peers(call.flow, call.side, call.start)
    return this.#options.filter?.(call, peers) === false ? undefined : peers
  }

  /** The client and the server of a flow that has ended; undefined: another view of it is reported. */
  closed(flow: Flow): Peers | undefined {
    this.#views.closed(flow)
    return this.nameFlow(flow)
  }

  /** The same for a flow that is open. */
  nameFlow(flow: Flow): Peers | undefined {
    return this.#views.isLeftOut(flow) ? undefined : this.#peers(flow, 0, flow.start)
  }

  /**
   * Addresses are those of the flow, so that its packets can be found. Names are those of the real ends: of the client
   * before its address was translated, and of the server afterwards. The service is the one that the client asked for.
   */
  #peers(flow: Flow, side: Side, time: number): Peers {
    const peers = this.#names.of(flow, side, time)
    const views = this.#views.of(flow)
    const [asked] = views
    const served = views.at(-1)
    if (views.length < 2 || asked === undefined || served === undefined) return peers
    const [client, service] = [this.#end(asked, 0, time), this.#end(asked, 1, time)]
    const server = this.#end(served, 1, time)
    // The node that translated the address of a client from outside is known to the server's node, too.
    const translatedBy = this.#end(flow, 0, time).node
    const named = [
      at(flow, 0, { ...(translatedBy !== undefined && { node: translatedBy }), ...client }),
      at(flow, 1, { ...server, ...(service.svc !== undefined && { svc: service.svc }) }),
    ] as const
    return side === 0 ? { src: named[0], dst: named[1] } : { src: named[1], dst: named[0] }
  }

  #end(flow: Flow, side: Side, time: number): Endpoint {
    const { src, dst } = this.#names.of(flow, 0, time)
    return side === 0 ? src : dst
  }
}

function at(flow: Flow, side: Side, named: Endpoint): Endpoint {
  const { ip, port } = flow.ends[side]
  return { ...named, ip, port }
}
