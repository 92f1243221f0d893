import type { Address, Side } from '@tapdeck/wire'
import type { Call, Endpoint } from '../contract/call.ts'
import type { Exchange } from '../contract/dissector.ts'
import { protocolsSeen } from '../engine/protocols-seen.ts'
import { callFlow } from './call-flow.ts'
import { CallRecord, type CallSource } from './call-record.ts'
import { connectionEndOf } from './connection-end.ts'
import { deliveryOf } from './late-facts.ts'
import { firstByteOf, latencyOf } from './timings.ts'

/** A call from the engine, with the names its endpoints had at the time. */
export function toCallRecord(
  call: Call,
  names: { readonly src: Endpoint; readonly dst: Endpoint },
  node: string,
  captureSource: string,
  more: Pick<CallSource, 'node_ip' | 'has_pcap'> = {},
): CallRecord {
  return new CallRecord(new EngineCall(call, names, node, captureSource, more))
}

/** A call of the engine as a `CallSource`. Getters, because this is on the hot path of live indexing. */
class EngineCall implements CallSource {
  readonly id: string
  readonly ts: number
  readonly src: Endpoint
  readonly dst: Endpoint
  readonly proto: string
  readonly flow_id: number
  readonly node_id: string
  readonly capture_source: string
  readonly #call: Call
  readonly #more: Pick<CallSource, 'node_ip' | 'has_pcap'>
  readonly #protocolsSeen: readonly string[]
  readonly #from: Address

  constructor(
    call: Call,
    names: { readonly src: Endpoint; readonly dst: Endpoint },
    node: string,
    captureSource: string,
    more: Pick<CallSource, 'node_ip' | 'has_pcap'>,
  ) {
    const { flow } = call
    this.id = `${node}/${flow.id}/${call.ordinal}`
    this.ts = call.start / 1000
    this.src = names.src
    this.dst = names.dst
    this.proto = call.protocol
    this.flow_id = flow.id
    this.node_id = node
    this.capture_source = captureSource
    this.#call = call
    this.#more = more
    this.#protocolsSeen = protocolsSeen(flow)
    this.#from = flow.ends[call.side]
  }

  get method() {
    return this.#call.summary.method
  }

  get path() {
    return this.#call.summary.path
  }

  get status() {
    return this.#call.summary.status
  }

  get error() {
    return this.#call.missing ?? this.#call.summary.failure
  }

  get connection_end() {
    return connectionEndOf(this.#call)
  }

  get delivery() {
    const { flow } = this.#call
    return deliveryOf(this, flow, this.#side)
  }

  get latency_ms() {
    return latencyOf(this.#call)
  }

  get ttfb_ms() {
    return firstByteOf(this.#call)
  }

  get node_ip() {
    return this.#more.node_ip
  }

  get has_pcap() {
    return this.#more.has_pcap
  }

  get session() {
    return this.#call.tls
  }

  get tcp() {
    return this.#call.flow.tcp
  }

  get flow() {
    return callFlow(this.#call.flow, this.#side, this.#protocolsSeen)
  }

  /** Of the source. A later request may reveal that client and server were guessed wrongly, so it is found by address. */
  get #side(): Side {
    return this.#call.flow.ends[0] === this.#from ? 0 : 1
  }

  exchange(): Exchange {
    const { protocol, request, response } = this.#call
    return {
      protocol,
      ...(request === undefined ? {} : { request }),
      ...(response === undefined ? {} : { response }),
    }
  }
}
