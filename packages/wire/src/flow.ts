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
export interface DirectionCounters {
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
  /** When an end first offered a zero window, from the first packet on, to the millisecond. Absent: it never did. */
  client_zero_window_us?: number | undefined
  server_zero_window_us?: number | undefined
  /** When an end first sent a FIN, and a RST, from the first packet on. */
  client_fin_us?: number | undefined
  server_fin_us?: number | undefined
  client_reset_us?: number | undefined
  server_reset_us?: number | undefined
}

/** Bytes that a side first sent at `sent`, and again at `time` (microseconds). */
export interface Resent {
  readonly side: Side
  readonly sent: number
  readonly time: number
  readonly count: number
}

/**
 * All packets between two endpoints, in both directions. `Streams` owns and changes it until `close`; `directions` and `tcp` are updated
 * each time they are read. `state` belongs to the stream handler.
 */
export interface Flow {
  /** The same for the same packets, live or later: made of addresses, ports, transport and first time. Below 2^53. */
  readonly id: number
  readonly transport: Transport
  /** Endpoints by side: `ends[0]` is the client. The same two objects each time; the array may be new. */
  readonly ends: readonly [Address, Address]
  /** No handshake was seen: the client is a guess, which a protocol may correct with `Streams.flip`. */
  readonly midstream: boolean
  /** Microseconds since the epoch, by the packets' own clock. */
  readonly start: number
  readonly last: number
  readonly directions: readonly [DirectionCounters, DirectionCounters]
  readonly tcp?: TcpMetrics | undefined
  /**
   * The initial sequence numbers of client and server, each where its SYN was seen. Address translation keeps them: they
   * are the same in every view of a connection, also when it is over.
   */
  readonly sequences?: readonly [number | undefined, number | undefined] | undefined
  /** Nothing in the last packet of the client tells it from an equal one, so that a copy of it was not recognised. */
  readonly unmarked?: boolean
  /** Since when bytes of each side are not acknowledged that it sent again, or that a reset cut off. Microseconds. */
  readonly unacked?: readonly [number | undefined, number | undefined] | undefined
  readonly resent?: readonly Resent[] | undefined
  readonly closed?: CloseReason
  /** Which side sent the closing FIN or RST first. */
  readonly closedBy?: Side
  /** The outermost tunnel this flow was found in, such as `vxlan 42 10.0.0.1 > 10.0.0.2`. */
  readonly tunnel?: string | undefined
  readonly vlan?: number | undefined
  state: unknown
}
