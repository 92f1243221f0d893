import {
  type CallFlow,
  type CallSource,
  type Delivery,
  type Endpoint,
  type Exchange,
  type TlsSession,
  unpackExchange,
} from '@tapdeck/dissect'
import type { Position } from '@tapdeck/questions'
import type { TcpMetrics } from '@tapdeck/wire'
import { endpointOfTexts } from '../endpoint-texts.ts'
import { lateDelivery, lateMetrics } from '../late-flow.ts'
import { unpackMetrics } from '../payload/tcp-metrics.ts'
import type { Value } from './connection.ts'
import type { Reading } from './reading.ts'

const peer = (side: string) =>
  ['ip', 'port', 'pod', 'ns', 'svc', 'node', 'process', 'more'].map((name) => `c.${side}_${name}`)

/** What is selected of a row, in the order that `StoredCall` takes it. */
export const storedColumns = [
  ...['c.ts', 'c.flow', 'c.ordinal', 'c.node', 'c.capture_source', 'c.node_ip', 'c.proto'],
  ...['c.method', 'c.path', 'c.status', 'c.status_word', 'c.error', 'c.latency_us', 'c.ttfb_us', 'c.tls'],
  'c.connection_end',
  ...peer('src'),
  ...peer('dst'),
  'c.handshake_us',
  'hex(c.payload)',
].join(', ')

/** Where the peers are among the columns, and what comes after them. */
const SRC = 16
const DST = 24
const HANDSHAKE = 32
const PAYLOAD = 33
/** Bytes that a row takes beside its payload, about. */
const ROW_BYTES = 1000

/** A row of an index as the source of a call; its payload is decoded on first use. */
export class StoredCall implements CallSource {
  readonly position: Position
  readonly id: string
  readonly ts: number
  readonly src: Endpoint
  readonly dst: Endpoint
  readonly proto: string
  readonly flow_id: number
  readonly node_id: string
  readonly capture_source: string
  declare readonly node_ip?: string
  declare readonly has_pcap?: boolean
  declare readonly flow?: CallFlow
  declare readonly tcp?: TcpMetrics
  declare readonly session?: TlsSession
  declare readonly method?: string
  declare readonly path?: string
  declare readonly status?: number | string
  declare readonly error?: string
  declare readonly connection_end?: string
  declare readonly delivery?: Delivery
  declare readonly latency_ms?: number
  declare readonly ttfb_ms?: number
  /** How long the handshake of its connection took, in microseconds. */
  declare readonly handshake?: number
  declare readonly tcp_handshake_p50_us?: number
  declare readonly tcp_handshake_p90_us?: number
  declare readonly tcp_handshake_p99_us?: number
  readonly #handshakes: Reading['handshakes']
  readonly #flows: Reading['flowStates']
  readonly #late: Reading['late']
  readonly #hex: string
  #payload: Uint8Array | undefined

  constructor(row: readonly Value[], reading: Reading) {
    const [ts, flow, ordinal] = row.slice(0, 3).map(Number)
    const [node, captureSource, nodeIp, proto, method, path, status, word, error, latency, ttfb, tls, end] =
      row.slice(3)
    this.position = { ts, flow, ordinal }
    this.node_id = String(node)
    this.id = `${this.node_id}/${flow}/${ordinal}`
    this.ts = ts / 1000
    this.src = endpointIn(row.slice(SRC, DST))
    this.dst = endpointIn(row.slice(DST, HANDSHAKE))
    this.proto = String(proto)
    this.flow_id = flow
    this.capture_source = String(captureSource)
    if (method !== null) this.method = String(method)
    if (path !== null) this.path = String(path)
    if (word !== null) this.status = String(word)
    else if (status !== null) this.status = Number(status)
    if (error !== null) this.error = String(error)
    if (latency !== null) this.latency_ms = Number(latency) / 1000
    if (ttfb !== null) this.ttfb_ms = Number(ttfb) / 1000
    if (nodeIp !== null) this.node_ip = String(nodeIp)
    if (reading.packetsSince !== undefined) this.has_pcap = reading.packetsSince.hasAt(this.node_id, ts)
    if (end !== null) this.connection_end = String(end)
    if (tls !== null) this.session = JSON.parse(String(tls))
    this.#flows = reading.flowStates
    this.#late = reading.late
    this.#hex = String(row[PAYLOAD])
    if (row[HANDSHAKE] !== null) this.handshake = Number(row[HANDSHAKE])
    this.#handshakes = reading.handshakes
  }

  // A getter in the class would have to promise more than "may be there".
  static {
    Object.defineProperty(StoredCall.prototype, 'tcp', {
      get(this: StoredCall): TcpMetrics | undefined {
        return lateMetrics(unpackMetrics(this.#bytes()).tcp, this, this.#lateFlow())
      },
    })
    Object.defineProperty(StoredCall.prototype, 'delivery', {
      get(this: StoredCall): Delivery | undefined {
        return lateDelivery(this, this.#lateFlow())
      },
    })
    Object.defineProperty(StoredCall.prototype, 'flow', {
      get(this: StoredCall): CallFlow | undefined {
        return this.#flows?.of(this.node_id, this.flow_id, this.src)
      },
    })
    for (const name of ['tcp_handshake_p50_us', 'tcp_handshake_p90_us', 'tcp_handshake_p99_us'] as const)
      Object.defineProperty(StoredCall.prototype, name, {
        get(this: StoredCall): number | undefined {
          return this.#handshakes?.of(this.dst)?.[name]
        },
      })
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return ROW_BYTES + this.#hex.length
  }

  exchange(): Exchange {
    const bytes = this.#bytes()
    return unpackExchange(this.proto, bytes.subarray(unpackMetrics(bytes).end))
  }

  #lateFlow() {
    return this.#late?.of(this.node_id, this.flow_id)
  }

  #bytes(): Uint8Array {
    this.#payload ??= Buffer.from(this.#hex, 'hex')
    return this.#payload
  }
}

function endpointIn([ip, port, ...names]: readonly Value[]): Endpoint {
  const [pod, ns, svc, node, process, more] = names.map((name) => (name === null ? '' : String(name)))
  return endpointOfTexts({ ip: String(ip), pod, ns, svc, node, process, more }, Number(port))
}
