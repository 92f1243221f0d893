import type { TcpMetrics } from '@tapdeck/wire'
import type {
  CallFlow,
  CompactCall,
  Delivery,
  Endpoint,
  FullCall,
  PresentedMessage,
  TlsSession,
} from '../contract/call.ts'
import type { Dissector, Exchange, Presentation } from '../contract/dissector.ts'
import { protocolNamed, protocols } from '../protocols/index.ts'

/** Optional members may also be undefined, so that a class can implement them as getters. */
type OptionalAsUndefined<Shape> = {
  readonly [Key in keyof Shape]: undefined extends Shape[Key] ? Shape[Key] | undefined : Shape[Key]
}

/** The columns of a call, and how to load the rest on demand. */
export interface CallSource extends OptionalAsUndefined<CompactCall> {
  readonly ttfb_ms?: number | undefined
  readonly flow_id: number
  readonly node_id: string
  readonly capture_source: string
  readonly node_ip?: string | undefined
  readonly has_pcap?: boolean | undefined
  /** Computed on access. */
  readonly flow?: CallFlow | undefined
  /** Of a decrypted call: its encrypted connection. */
  readonly session?: TlsSession | undefined
  /** Of the connection. */
  readonly tcp?: TcpMetrics | undefined
  /** Of the destination service in the same database. */
  readonly tcp_handshake_p50_us?: number | undefined
  readonly tcp_handshake_p90_us?: number | undefined
  readonly tcp_handshake_p99_us?: number | undefined
  exchange(): Exchange
  /** Presents the call; default: the built-in dissector of its protocol. */
  readonly dissector?: Dissector
}

/**
 * A call in its full shape, built lazily: reading only columns never fetches, decompresses or decodes a payload. A
 * protocol's own fields are under the protocol's name.
 */
export class CallRecord {
  declare readonly method?: string
  declare readonly path?: string
  declare readonly status?: number | string
  declare readonly latency_ms?: number
  declare readonly error?: string
  declare readonly connection_end?: string
  declare readonly decrypted?: boolean
  declare readonly payload_missing?: boolean
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
    if (source.connection_end !== undefined) this.connection_end = source.connection_end
    if (source.session !== undefined) this.decrypted = true
    if (source.payload_missing) this.payload_missing = true
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

  /** The request as shown to users, with method and path where known. */
  get request(): PresentedMessage | undefined {
    return this.#present().request
  }

  /** The response as shown to users, with the status where known. */
  get response(): PresentedMessage | undefined {
    return this.#present().response
  }

  /** Of the time at which it is read, as `flow`. */
  get delivery(): Delivery | undefined {
    return this.#source.delivery
  }

  get flow(): CallFlow | undefined {
    return this.#source.flow
  }

  /** Measurements of the connection. For an unrecognised flow, also how it ended. */
  get tcp(): TcpMetrics | undefined {
    const { tcp } = this.#source
    return tcp === undefined || this.proto !== 'tcp' ? tcp : { ...tcp, ...this.#present().own }
  }

  /** Of a handshake, its own fields; of a decrypted call, a description of its encrypted connection. */
  get tls(): Presentation['own'] | TlsSession {
    return this.proto === 'tls' ? this.own('tls') : this.#source.session
  }

  get req_headers(): PresentedMessage['headers'] {
    return this.request?.headers
  }

  get resp_headers(): PresentedMessage['headers'] {
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

  /** The protocol's own fields if `name` is the protocol of this call. */
  own(name: string): Presentation['own'] {
    return this.proto === name ? this.#present().own : undefined
  }

  compact(): CompactCall {
    const { id, ts, src, dst, proto, method, path, status, latency_ms, error } = this
    const { connection_end, delivery, decrypted, payload_missing } = this
    const outcome = { status, latency_ms, error, connection_end, delivery, decrypted, payload_missing }
    return present({ id, ts, src, dst, proto, method, path, ...outcome })
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
      tls: this.tls,
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

// Filters name a protocol's fields as `dns.questions`, so each protocol gets a getter.
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

/** The same object without undefined values. */
function present<T extends object>(values: T): Present<T> {
  const result: Record<string, unknown> = {}
  for (const key in values) {
    const value = values[key]
    if (value !== undefined) result[key] = value
  }
  return result as Present<T>
}
