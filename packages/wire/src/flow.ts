/** The side of a flow that opened it is 0 (client), the other 1 (server). */
export type Side = 0 | 1

export type Transport = 'tcp' | 'udp' | 'sctp' | 'icmp'

export interface Address {
  readonly ip: string
  readonly port: number
}

/** Why a flow ended. `idle` and `evicted` say that we stopped watching, not that the peers stopped talking. */
export type CloseReason = 'fin' | 'reset' | 'refused' | 'reused' | 'idle' | 'evicted' | 'end-of-capture'

/** What one direction of a flow carried. */
export interface Half {
  packets: number
  bytes: number
  /** Payload bytes that were delivered in order, without retransmissions. */
  goodput: number
  /** Bytes that were never captured, inside the stream. */
  missing: number
}

/** Connection measurements, named as users know them from tcp.analysis. Times are in microseconds. */
export interface TcpMetrics {
  handshake_us?: number
  initial_rtt_us?: number
  time_to_first_byte_us?: number
  rtt_min_us?: number
  rtt_max_us?: number
  rtt_avg_us?: number
  rtt_samples: number
  jitter_us?: number
  retransmissions: number
  fast_retransmissions: number
  duplicate_acks: number
  out_of_order: number
  overlap_conflicts: number
  zero_window: number
  window_full: number
  keep_alive: number
  resets: number
  fins: number
  /** Wireshark's bitmask: SYN 1, SYN-ACK 2, ACK 4, DATA 8, FIN 16, RST 32. */
  completeness: number
}

/**
 * One L4 conversation, both directions. Owned and changed by `Streams`; whoever keeps a reference and asks again sees
 * the counters move until `close`: `halves` and `tcp` tell how it was when they were asked for. `state` belongs to the handler of the streams, for what it keeps a flow.
 */
export interface Flow {
  /** The same for the same packets, live or later: made of addresses, ports, transport and first time. Below 2^53. */
  readonly id: number
  readonly transport: Transport
  /** Ends by side: `ends[0]` is the client. They are the same objects each time, in a list that need not be. */
  readonly ends: readonly [Address, Address]
  /** No handshake was seen: who is the client is a guess that a protocol may correct with `Streams.flip`. */
  readonly midstream: boolean
  /** Microseconds since the epoch, by the packets' own clock. */
  readonly start: number
  readonly last: number
  readonly halves: readonly [Half, Half]
  readonly tcp?: TcpMetrics | undefined
  readonly closed?: CloseReason
  /** Which side sent the closing FIN or RST first. */
  readonly closedBy?: Side
  /** The outermost tunnel this flow was found in, such as `vxlan 42 10.0.0.1 > 10.0.0.2`. */
  readonly tunnel?: string | undefined
  readonly vlan?: number | undefined
  state: unknown
}
