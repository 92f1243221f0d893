import type { TcpMetrics } from '@tapdeck/wire'
import type { CompactCall, Endpoint, FullCall, PresentedHalf } from './call.ts'
import type { CallFlow } from './call-flow.ts'
import type { Dissector, Exchange, Presentation } from './dissector.ts'
import { protocolNamed, protocols } from './protocols/index.ts'

/** Optional things may also be told as undefined: whoever has many calls to tell of spares making objects of what is there. */
type Told<Shape> = {
  readonly [Key in keyof Shape]: undefined extends Shape[Key] ? Shape[Key] | undefined : Shape[Key]
}

/** What is known of a call without reading its payload, and where to get the rest when somebody asks for it. */
export interface CallSource extends Told<CompactCall> {
  readonly ttfb_ms?: number | undefined
  readonly flow_id: number
  readonly node_id: string
  readonly capture_source: string
  readonly node_ip?: string | undefined
  readonly has_pcap?: boolean | undefined
  /** Read when somebody looks. */
  readonly flow?: CallFlow | undefined
  /** Of its connection. */
  readonly tcp?: TcpMetrics | undefined
  /** Of its destination service in the same database. */
  readonly tcp_handshake_p50_us?: number | undefined
  readonly tcp_handshake_p90_us?: number | undefined
  readonly tcp_handshake_p99_us?: number | undefined
  exchange(): Exchange
  /** Who shows it, where that is none of the house. */
  readonly dissector?: Dissector
}

/**
 * A call in its full shape, made as it is read: whoever looks only at columns never has a payload fetched,
 * decompressed or turned into text. The protocol's own object stands under the protocol's name.
 */
export class CallRecord {
  declare readonly method?: string
  declare readonly path?: string
  declare readonly status?: number | string
  declare readonly latency_ms?: number
  declare readonly error?: string
  declare readonly ttfb_ms?: number
  declare readonly node_ip?: string
  declare readonly has_pcap?: boolean
  declare readonly tcp_handshake_p50_us?: number
  declare readonly tcp_handshake_p90_us?: number
  declare readonly tcp_handshake_p99_us?: number
  readonly id: string
  readonly ts: number
  readonly src: Endpoint
  readonly dst: Endpoint
  readonly proto: string
  readonly conn_id: number
  readonly flow_id: number
  readonly node_id: string
  readonly capture_source: string
  readonly #source: CallSource
  #exchange: Exchange | undefined
  #presentation: Presentation | undefined

  constructor(source: CallSource) {
    this.#source = source
    this.id = source.id
    this.ts = source.ts
    this.src = source.src
    this.dst = source.dst
    this.proto = source.proto
    this.conn_id = source.flow_id
    this.flow_id = source.flow_id
    this.node_id = source.node_id
    this.capture_source = source.capture_source
    if (source.method !== undefined) this.method = source.method
    if (source.path !== undefined) this.path = source.path
    if (source.status !== undefined) this.status = source.status
    if (source.latency_ms !== undefined) this.latency_ms = source.latency_ms
    if (source.error !== undefined) this.error = source.error
    if (source.ttfb_ms !== undefined) this.ttfb_ms = source.ttfb_ms
    if (source.node_ip !== undefined) this.node_ip = source.node_ip
    if (source.has_pcap !== undefined) this.has_pcap = source.has_pcap
    if (source.tcp_handshake_p50_us !== undefined) this.tcp_handshake_p50_us = source.tcp_handshake_p50_us
    if (source.tcp_handshake_p90_us !== undefined) this.tcp_handshake_p90_us = source.tcp_handshake_p90_us
    if (source.tcp_handshake_p99_us !== undefined) this.tcp_handshake_p99_us = source.tcp_handshake_p99_us
  }

  get exchange(): Exchange {
    this.#exchange ??= this.#source.exchange()
    return this.#exchange
  }

  /** The request as people see it. Method and path are always in it where they are known. */
  get request(): PresentedHalf | undefined {
    return this.#present().request
  }

  /** The response as people see it. The status is always in it where it is known. */
  get response(): PresentedHalf | undefined {
    return this.#present().response
  }

  get flow(): CallFlow | undefined {
    return this.#source.flow
  }

  /** Measurements of the connection; of a flow that nobody recognised also how it ended. */
  get tcp(): TcpMetrics | undefined {
    const { tcp } = this.#source
    return tcp === undefined || this.proto !== 'tcp' ? tcp : { ...tcp, ...this.#present().own }
  }

  get req_headers(): PresentedHalf['headers'] {
    return this.request?.headers
  }

  get resp_headers(): PresentedHalf['headers'] {
    return this.response?.headers
  }

  get req_body(): string | undefined {
    return this.request?.body
  }

  get resp_body(): string | undefined {
    return this.response?.body
  }

  get req_size(): number | undefined {
    return this.exchange.request?.size
  }

  get resp_size(): number | undefined {
    return this.exchange.response?.size
  }

  /** What the protocol shows under `name`, its own. */
  own(name: string): Presentation['own'] {
    return this.proto === name ? this.#present().own : undefined
  }

  compact(): CompactCall {
    const { id, ts, src, dst, proto, method, path, status, latency_ms, error } = this
    return present({ id, ts, src, dst, proto, method, path, status, latency_ms, error })
  }

  toJSON(): FullCall {
    const { request, response, ttfb_ms, conn_id, flow_id, node_id, capture_source, proto, flow, tcp } = this
    const { node_ip, has_pcap } = this
    const { tcp_handshake_p50_us, tcp_handshake_p90_us, tcp_handshake_p99_us } = this
    const { req_headers, resp_headers, req_body, resp_body, req_size, resp_size } = this
    return present({
      ...this.compact(),
      request,
      response,
      [proto]: this.own(proto),
      ttfb_ms,
      conn_id,
      flow_id,
      node_id,
      node_ip,
      capture_source,
      has_pcap,
      flow,
      tcp,
      tcp_handshake_p50_us,
      tcp_handshake_p90_us,
      tcp_handshake_p99_us,
      req_headers,
      resp_headers,
      req_body,
      resp_body,
      req_size,
      resp_size,
    })
  }

  #present(): Presentation {
    this.#presentation ??= this.#makePresentation()
    return this.#presentation
  }

  #makePresentation(): Presentation {
    const { method, path, status, exchange } = this
    const dissector = this.#source.dissector ?? protocolNamed(this.proto)
    const { request, response, own } = dissector?.present(exchange) ?? {}
    return present({
      request: request === undefined ? undefined : present({ method, path, ...request }),
      response: response === undefined ? undefined : present({ status, ...response }),
      own,
    })
  }
}

// Filters and readers name a protocol's own field `dns.questions`: each protocol has a getter of its name.
for (const name of Object.keys(protocols))
  if (!Object.hasOwn(CallRecord.prototype, name))
    Object.defineProperty(CallRecord.prototype, name, {
      configurable: true,
      get(this: CallRecord) {
        return this.own(name)
      },
    })

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Absent is absent: the same object without its undefined values. */
function present<T extends object>(values: T): Present<T> {
  const result: Record<string, unknown> = {}
  for (const key in values) {
    const value = values[key]
    if (value !== undefined) result[key] = value
  }
  return result as Present<T>
}
