import type { Flow, Side, TcpMetrics } from '@tapdeck/wire'
import type { ByteWriter } from './byte-writer.ts'
import type { CallFlow } from './call-flow.ts'
import type { Message } from './message.ts'

/** Why a half is missing. What a protocol itself calls a failure (500, NXDOMAIN, SQLSTATE) is `Summary.failure`. */
export type MissingHalf = 'no_response' | 'gap' | 'midstream' | 'truncated'

/** Of these, what tells of the capture and nothing of who was called. */
export const captureErrors: readonly MissingHalf[] = ['gap', 'midstream', 'truncated']

/** One dissected exchange as the engine emits it: a request, its response, or a one-way event. */
export interface Call {
  readonly flow: Flow
  /** Counts the calls of a flow from 0; with the flow's id it names the call for good. */
  readonly ordinal: number
  readonly protocol: string
  /** The side that sent the request or the event. */
  readonly side: Side
  readonly request?: Message | undefined
  readonly response?: Message | undefined
  /** Times of the first and the last byte, microseconds since the epoch. */
  readonly start: number
  readonly end: number
  readonly missing?: MissingHalf | undefined
  readonly summary: Summary
}

/** The common columns that people see in a row and filter by most. Absent is absent, never an empty string. */
export interface Summary {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly status?: number | string | undefined
  /** A short text exactly where a user would call it a failure. */
  readonly failure?: string | undefined
  /** Appends the path as UTF-8, where that takes no string. */
  writePath?(writer: ByteWriter): void
}

/** A peer with the names it had at the time of the call. */
export interface Endpoint {
  readonly ip: string
  readonly port: number
  readonly pod?: string
  readonly ns?: string
  readonly svc?: string
  readonly node?: string
  readonly process?: string
  /** The name that was asked for when this address was the answer. */
  readonly dns?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The row of lists and of the live stream. */
export interface CompactCall {
  /** `<node>/<flow>/<ordinal>` */
  readonly id: string
  /** Unix milliseconds, with the microseconds as a fraction. */
  readonly ts: number
  readonly src: Endpoint
  readonly dst: Endpoint
  readonly proto: string
  readonly method?: string
  readonly path?: string
  readonly status?: number | string
  readonly latency_ms?: number
  readonly error?: string
}

export interface PresentedHalf {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
  readonly body_size?: number
  /** `base64` where the body is no text. */
  readonly body_encoding?: 'base64'
  readonly truncated?: boolean
  readonly [field: string]: unknown
}

/** Everything about a call. A protocol's own fields stand under its name (`dns: {…}`). */
export interface FullCall extends CompactCall {
  readonly request?: PresentedHalf
  readonly response?: PresentedHalf
  readonly ttfb_ms?: number
  readonly conn_id: number
  readonly flow_id: number
  readonly node_id: string
  readonly node_ip?: string
  readonly capture_source: string
  /** Whether its packets are kept: in the ring of its node, in the snapshot, or in the file. */
  readonly has_pcap?: boolean
  readonly flow?: CallFlow
  readonly tcp?: TcpMetrics
  readonly tcp_handshake_p50_us?: number
  readonly tcp_handshake_p90_us?: number
  readonly tcp_handshake_p99_us?: number
  readonly req_headers?: PresentedHalf['headers']
  readonly resp_headers?: PresentedHalf['headers']
  readonly req_body?: string
  readonly resp_body?: string
  readonly req_size?: number
  readonly resp_size?: number
  readonly [protocol: string]: unknown
}
