import type { Flow, Side, TcpMetrics } from '@tapdeck/wire'
import type { ByteWriter } from '../bytes/byte-writer.ts'
import type { Message } from './message.ts'

/** Why a message is missing. A failure by the protocol's own rules (500, NXDOMAIN, SQLSTATE) is `Summary.failure`. */
export type MissingMessage =
  | 'no_response'
  | 'malformed_response'
  | 'gap'
  | 'midstream'
  | 'truncated'
  | 'unfinished'

/** Reasons that describe the capture, not the service. */
export const captureErrors: readonly MissingMessage[] = ['gap', 'midstream', 'truncated']

/** The call was still open when the observation ended. It did not fail and is not counted as an error. */
export const unfinished = 'unfinished' satisfies MissingMessage

/** How the connection of a request without a response ended. The client is the source of the call. */
export type ConnectionEnd = `${'closed' | 'reset'}_by_${'client' | 'server'}`

/** `unacknowledged`: the end of the response was never acknowledged, as far as it was seen. */
export type Delivery = 'unacknowledged'

/** One dissected exchange: a request, its response, or a one-way event. */
export interface Call {
  readonly flow: Flow
  /** Number of the call in its flow, from 0. With the flow id it identifies the call. */
  readonly ordinal: number
  readonly protocol: string
  /** The side that sent the request or the event. */
  readonly side: Side
  readonly request?: Message | undefined
  readonly response?: Message | undefined
  /** Times of the first and the last byte, microseconds since the epoch. */
  readonly start: number
  readonly end: number
  readonly missing?: MissingMessage | undefined
  readonly summary: Summary
  /** Set if the call was decrypted. */
  readonly tls?: TlsSession | undefined
}

/**
 * The TLS connection that a call was decrypted from. The fields have the names that they have in a call of protocol
 * `tls`. Nothing in it is unique to a connection, so that indexes store each value once.
 */
export interface TlsSession {
  readonly version?: string
  readonly version_code?: number
  readonly cipher_suite?: string
  readonly cipher_suite_code?: number
  readonly sni?: string
  readonly alpn?: string
  readonly resumed?: boolean
  readonly certificate?: { readonly [field: string]: unknown }
  /** Where the keys came from: `keylog`, `secrets_block`, or the name of a probe. */
  readonly key_source?: string
}

/** The common columns of a list. Absent values are undefined, never an empty string. */
export interface Summary {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly status?: number | string | undefined
  /** A short text if a user would call this a failure. */
  readonly failure?: string | undefined
  /** Appends the path as UTF-8 without creating a string, where possible. */
  writePath?(writer: ByteWriter): void
}

/** A peer, with the names it had at the time of the call. */
export interface Endpoint {
  readonly ip: string
  readonly port: number
  readonly pod?: string
  readonly ns?: string
  readonly svc?: string
  readonly node?: string
  readonly process?: string
  /** The name that a client resolved to this address. */
  readonly dns?: string
  /** The Deployment, StatefulSet, DaemonSet, Job or CronJob that the pod belongs to. */
  readonly workload?: string
  readonly workload_kind?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The two peers with the names they had: the requester first. */
export interface Peers {
  readonly src: Endpoint
  readonly dst: Endpoint
}

/** A row in lists and in the live stream. */
export interface CompactCall {
  /** `<node>/<flow>/<ordinal>` */
  readonly id: string
  /** Unix milliseconds; the fraction has the microseconds. */
  readonly ts: number
  readonly src: Endpoint
  readonly dst: Endpoint
  readonly proto: string
  readonly method?: string
  readonly path?: string
  readonly status?: number | string
  readonly latency_ms?: number
  readonly error?: string
  /** Of a call with `no_response`, if its connection ended: by a FIN (`closed`) or a RST (`reset`), and of which side. */
  readonly connection_end?: string
  /** The response was never acknowledged. Known some time after the call. */
  readonly delivery?: Delivery
  /** The call was sent encrypted. */
  readonly decrypted?: boolean
  /** The index has no head and body of it: the disk was full, or a crash took them. That is no error of the call. */
  readonly payload_missing?: boolean
}

export interface PresentedMessage {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
  readonly body_size?: number
  /** `base64` if the body is not text. */
  readonly body_encoding?: 'base64'
  readonly truncated?: boolean
  readonly [field: string]: unknown
}

/** The flow of a call at the time of reading. `local` is the call's source. */
export interface CallFlow {
  /** `open`: one side sent packets; `in_progress`: both did; `closed`: it has ended. */
  readonly state: 'open' | 'in_progress' | 'closed'
  readonly local_pkts: number
  readonly local_bytes: number
  readonly remote_pkts: number
  readonly remote_bytes: number
  /** Per second since the start of the flow, over at least one second. */
  readonly local_pps: number
  readonly local_bps: number
  readonly remote_pps: number
  readonly remote_bps: number
  /** Protocols of its calls, without those inside TLS. */
  readonly l7_detected?: readonly string[]
  /** The same for all flows of one client to one server port. */
  readonly group_id: number
  /** First zero window, FIN and RST of each side, oldest first. */
  readonly moments?: readonly FlowMoment[]
}

/** Something that an end of a connection did for the first time. */
export interface FlowMoment {
  /** Unix milliseconds. */
  readonly ts: number
  readonly what: 'zero_window' | 'fin' | 'reset'
  /** By the source or the destination of the call. */
  readonly by: 'src' | 'dst'
}

/** Everything about a call. A protocol's own fields are under its name (`dns: {…}`). */
export interface FullCall extends CompactCall {
  readonly request?: PresentedMessage
  readonly response?: PresentedMessage
  readonly ttfb_ms?: number
  readonly conn_id: number
  readonly flow_id: number
  readonly node_id: string
  readonly node_ip?: string
  readonly capture_source: string
  /** Whether its packets are available: in the ring of its node, the snapshot, or the file. */
  readonly has_pcap?: boolean
  readonly flow?: CallFlow
  readonly tcp?: TcpMetrics
  readonly tcp_handshake_p50_us?: number
  readonly tcp_handshake_p90_us?: number
  readonly tcp_handshake_p99_us?: number
  readonly req_headers?: PresentedMessage['headers']
  readonly resp_headers?: PresentedMessage['headers']
  readonly req_body?: string
  readonly resp_body?: string
  readonly req_size?: number
  readonly resp_size?: number
  readonly [protocol: string]: unknown
}
