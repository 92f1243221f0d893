import { addressAnswers, type Call, type Endpoint, type Peers } from '@tapdeck/dissect'
import { Connections, type Flow, type Side } from '@tapdeck/wire'
import { ChosenViews } from './chosen-views.ts'
import { CopiedDatagrams } from './copied-datagrams.ts'
import { DatagramClients } from './datagram-clients.ts'
import type { AddressNames, DnsNames, ProcessOwners } from './named-flow.ts'
import { PeerNames } from './peer-names.ts'
import { SeenExchanges } from './seen-exchanges.ts'

export interface PipelineNames {
  /** Names of addresses; may change at any time. */
  resolver(): AddressNames
  /** Empty at the beginning: the pipeline fills it. Absent: names of DNS answers are added elsewhere. */
  readonly dns?: DnsNames
  readonly owners?: ProcessOwners | undefined
}

export interface PipelineOptions {
  readonly names: PipelineNames
  readonly redaction?: { call(call: Call): Call } | undefined
  /**
   * Packets come in the order of their times, as in a file of one recorder: then all views of a connection have begun before its
   * first call is over, and calls of a connection with one view need no comparison. Default: they may come in another order.
   */
  readonly ordered?: boolean
  /** Which calls are wanted; default: all. */
  filter?(call: Call, peers: Peers): boolean
}

export interface PipelineOutput {
  /** A call that is no other view of one before, redacted. `Pipeline.name` names its ends. Valid until the next packet. */
  call(call: Call): void
  /** A flow that is over, and is no other view of one that is reported. `name` gives its client and its server. */
  flow(flow: Flow, name: (flow: Flow) => Peers): void
}

/**
 * THE way from what the engine emits to calls and flows: live, out of the recording, in a dissection and on the command line. An
 * exchange that is seen several times becomes one call; it is redacted; DNS answers give names; its ends are named; unwanted calls
 * are dropped. `Dissection` takes `handlers`.
 */
export class Pipeline {
  /** Calls that were another view of one that was reported. */
  duplicates = 0
  readonly handlers = {
    opened: (flow: Flow): void => {
      this.#connections.opened(flow)
      if (flow.transport === 'udp') this.#clients?.opened(flow)
    },
    emit: (call: Call): void => this.#emit(call),
    flow: (flow: Flow): void => this.#closed(flow),
  }
  readonly #options: PipelineOptions
  readonly #output: PipelineOutput
  readonly #names: PeerNames
  readonly #connections = new Connections()
  readonly #clients: DatagramClients | undefined
  readonly #views = new ChosenViews()
  readonly #copies = new CopiedDatagrams()
  readonly #exchanges = new SeenExchanges()

  constructor(options: PipelineOptions, output: PipelineOutput) {
    const { names } = options
    this.#options = options
    this.#output = output
    this.#clients = options.ordered ? new DatagramClients() : undefined
    this.#names = new PeerNames(() => names.resolver(), names.dns, names.owners)
  }

  #emit(call: Call): void {
    const { flow } = call
    const isDatagram = flow.transport === 'udp'
    if (isDatagram && this.#copies.isCopy(call)) {
      this.duplicates++
      return
    }
    const isAlone =
      this.#clients !== undefined &&
      (isDatagram ? this.#clients.hasOne(flow) : this.#connections.isAlone(flow))
    if (!isAlone && this.#exchanges.isSeen(call)) {
      this.duplicates++
      this.#views.leaveOut(flow)
      return
    }
    if (!isAlone) this.#views.choose(flow, this.#connections.viewsOf(flow))
    const kept = this.#options.redaction?.call(call) ?? call
    this.learn(kept)
    this.#output.call(kept)
  }

  #closed(flow: Flow): void {
    if (flow.transport === 'tcp') this.#views.closed(this.#connections.viewsOf(flow))
    if (!this.#views.isLeftOut(flow)) this.#output.flow(flow, this.#nameFlow)
    this.#connections.closed(flow)
    if (flow.transport === 'udp') this.#clients?.closed(flow)
  }

  /** Takes names from a DNS call, also of another shard. */
  learn(call: Call): void {
    const { dns } = this.#options.names
    // Names are shown to all roles, and what was decrypted is not.
    if (dns === undefined || call.protocol !== 'dns' || call.tls !== undefined) return
    const answers = addressAnswers(call)
    for (const { ip, ttl } of answers?.addresses ?? []) dns.learn(answers!.name, ip, call.end / 1000, ttl)
  }

  /** The ends of a call; undefined: it is not wanted. */
  name(call: Call): Peers | undefined {
    const peers = this.#peers(call.flow, call.side, call.start)
    return this.#options.filter?.(call, peers) === false ? undefined : peers
  }

  /** The client and the server of a flow; undefined: another view of it is reported. */
  nameFlow(flow: Flow): Peers | undefined {
    return this.#views.isLeftOut(flow) ? undefined : this.#nameFlow(flow)
  }

  readonly #nameFlow = (flow: Flow): Peers => this.#peers(flow, 0, flow.start)

  /**
   * Addresses are those of the flow, so that its packets can be found. Names are those of the real ends: of the client
   * before its address was translated, and of the server afterwards. The service is the one that the client asked for.
   */
  #peers(flow: Flow, side: Side, time: number): Peers {
    const peers = this.#names.of(flow, side, time)
    const views = this.#connections.viewsOf(flow)
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
