import type { Address } from '@tapdeck/wire'
import type { Call, Endpoint } from './call.ts'
import { callFlow } from './call-flow.ts'
import { CallRecord, type CallSource } from './call-record.ts'
import type { Exchange } from './dissector.ts'
import { spokenIn } from './engine/spoken-in.ts'
import { firstByteOf, latencyOf } from './timings.ts'

/** A call as it came out of the engine, with the names that its ends had at the time. */
export function toCallRecord(
  call: Call,
  names: { readonly src: Endpoint; readonly dst: Endpoint },
  node: string,
  captureSource: string,
  more: Pick<CallSource, 'node_ip' | 'has_pcap'> = {},
): CallRecord {
  return new CallRecord(new EngineCall(call, names, node, captureSource, more))
}

/** What the engine has of a call, as a record reads it: on the hot path of whoever looks at every call. */
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
  readonly #spoken: readonly string[]
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
    this.#spoken = spokenIn(flow)
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

  get tcp() {
    return this.#call.flow.tcp
  }

  /** A later request may show that the sides of the flow are the other way round. */
  get flow() {
    const { flow } = this.#call
    return callFlow(flow, flow.ends[0] === this.#from ? 0 : 1, this.#spoken)
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
