import type { DuckDBValue } from '@duckdb/node-api'
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
import { lateDelivery, lateMetrics } from '../late-flow.ts'
import type { Segment } from '../payload/segment.ts'
import { unpackMetrics } from '../payload/tcp-metrics.ts'
import type { FlowStates } from './flow-states.ts'
import type { Handshakes } from './handshakes.ts'
import type { LateFlows } from './late-flows.ts'
import type { Names } from './names.ts'

/** What is selected of a row, in the order that `StoredCall` takes it. */
export const storedColumns = [
  'c.ts',
  'c.flow::DOUBLE',
  'c.ordinal',
  'c.src',
  'c.dst',
  'c.src_port',
  'c.dst_port',
  'c.proto',
  'c.method',
  'c.path',
  'c.status::DOUBLE',
  'c.status_word',
  'c.error',
  'c.latency_us',
  'c.ttfb_us',
  'c.block',
  'c.slot',
  'c.rowid::DOUBLE',
  'c.tls',
  'c.connection_end',
].join(', ')

/** The same as it stands: for a single row each cast costs more to plan than a bigint to read. */
export const storedColumnsOfOne = storedColumns.replaceAll('::DOUBLE', '')

/** What all calls of one index have in common. */
export interface Common {
  readonly node: string
  readonly captureSource: string
  readonly handshakes: Handshakes
  readonly nodeIp?: string
  /** Microseconds: packets from then on are kept; undefined: it is not known whether any are. */
  readonly packetsSince?: number
  /** Only if requested. */
  readonly flows?: FlowStates
  /** Only for calls that are returned, and for filters that read it. */
  readonly late?: LateFlows
}

/** A row of an index as the source of a call; its payload is read on first use. */
export class StoredCall implements CallSource {
  readonly position: Position
  /** Its row in the chunk. */
  readonly row: number
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
  declare readonly payload_missing?: boolean
  declare readonly connection_end?: string
  declare readonly delivery?: Delivery
  declare readonly latency_ms?: number
  declare readonly ttfb_ms?: number
  declare readonly tcp_handshake_p50_us?: number
  declare readonly tcp_handshake_p90_us?: number
  declare readonly tcp_handshake_p99_us?: number
  readonly #flows: FlowStates | undefined
  readonly #late: LateFlows | undefined
  readonly #segment: Segment
  readonly #block: number
  readonly #slot: number

  constructor(row: readonly DuckDBValue[], { words, endpoints }: Names, segment: Segment, common: Common) {
    const [ts, flow, ordinal, src, dst, srcPort, dstPort, proto] = row.slice(0, 8).map(Number)
    const [method, path, status, statusWord, error, latency, ttfb] = row.slice(8, 15)
    this.position = { ts, flow, ordinal }
    this.row = Number(row[17])
    this.id = `${common.node}/${flow}/${ordinal}`
    this.ts = ts / 1000
    this.src = endpoints.endpoint(src, srcPort)
    this.dst = endpoints.endpoint(dst, dstPort)
    this.proto = words.text(proto)
    this.flow_id = flow
    this.node_id = common.node
    this.capture_source = common.captureSource
    if (method !== null) this.method = words.text(Number(method))
    if (path !== null) this.path = String(path)
    if (statusWord !== null) this.status = words.text(Number(statusWord))
    else if (status !== null) this.status = Number(status)
    if (error !== null) this.error = words.text(Number(error))
    if (!segment.has(Number(row[15]))) this.payload_missing = true
    if (row[19] !== null) this.connection_end = words.text(Number(row[19]))
    if (latency !== null) this.latency_ms = Number(latency) / 1000
    if (ttfb !== null) this.ttfb_ms = Number(ttfb) / 1000
    if (common.nodeIp !== undefined) this.node_ip = common.nodeIp
    if (common.packetsSince !== undefined) this.has_pcap = ts >= common.packetsSince
    if (row[18] !== null) this.session = JSON.parse(words.text(Number(row[18])))
    this.#flows = common.flows
    this.#late = common.late
    this.#segment = segment
    this.#block = Number(row[15])
    this.#slot = Number(row[16])
    Object.assign(this, common.handshakes.of(this.dst))
  }

  // A getter in the class would have to promise more than "may be there".
  static {
    Object.defineProperty(StoredCall.prototype, 'tcp', {
      get(this: StoredCall): TcpMetrics | undefined {
        const bytes = this.#payload()
        return bytes && lateMetrics(unpackMetrics(bytes).tcp, this, this.#late?.of(this.flow_id))
      },
    })
    Object.defineProperty(StoredCall.prototype, 'delivery', {
      get(this: StoredCall): Delivery | undefined {
        return lateDelivery(this, this.#late?.of(this.flow_id))
      },
    })
    Object.defineProperty(StoredCall.prototype, 'flow', {
      get(this: StoredCall): CallFlow | undefined {
        return this.#flows?.of(this.flow_id, this.src)
      },
    })
  }

  exchange(): Exchange {
    const bytes = this.#payload()
    if (bytes === undefined) return { protocol: this.proto }
    return unpackExchange(this.proto, bytes.subarray(unpackMetrics(bytes).end))
  }

  /** Undefined where a full disk or a crash took it. */
  #payload(): Uint8Array | undefined {
    return this.#segment.read(this.#block, this.#slot)
  }
}
