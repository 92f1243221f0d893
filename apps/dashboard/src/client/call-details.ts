import type { OperationOutput, StreamMessage } from '@tapdeck/api'

/** The row of lists and of the live stream. */
export type CompactCall = Extract<StreamMessage, { kind: 'calls' }>['calls'][number]
export type Endpoint = CompactCall['src']

/** The request or the response of a call: the fields every protocol shares, and its own. */
export interface CallMessage {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: string
  readonly body_size?: number
  readonly body_encoding?: string
  readonly truncated?: boolean
  readonly [field: string]: unknown
}

/** Something that happened on a node or in the cluster. */
export interface CallEvent {
  readonly ts: number
  readonly kind: string
  readonly type: string
  readonly [field: string]: unknown
}

/** Everything about a call. A protocol's own fields are under its name. */
export interface CallDetails extends CompactCall {
  readonly request?: CallMessage
  readonly response?: CallMessage
  readonly ttfb_ms?: number
  readonly connection_end?: string
  readonly tcp?: Readonly<Record<string, number>>
  readonly has_pcap?: boolean
  readonly both_ends?: OperationOutput<'get_api_call'>['both_ends']
  readonly events?: readonly CallEvent[]
  readonly [field: string]: unknown
}
