import type { CloseReason, TcpMetrics, Transport } from '@tapdeck/wire'
import type { MissingHalf } from '../call.ts'
import type { Message } from '../message.ts'

/*
 * What `CallPacker` writes and `CallUnpacker` reads, between threads of one process and one build: nothing of it is
 * ever kept.
 */

/** What an entry tells: a call, one that is only to be learnt from, or that a flow is over. */
export const ENTRY = { call: 1, unwanted: 2, flow: 3 } as const

/** Names go as their place here; 0 is for none. */
export const TRANSPORTS: readonly Transport[] = ['tcp', 'udp', 'sctp', 'icmp']
export const KINDS: readonly Message['kind'][] = ['request', 'response', 'event']
export const MISSING: readonly MissingHalf[] = ['no_response', 'gap', 'midstream', 'truncated']
export const CLOSED: readonly CloseReason[] = [
  'fin',
  'reset',
  'refused',
  'reused',
  'idle',
  'evicted',
  'end-of-capture',
]

export const FLOW = { midstream: 1, tunnel: 2, vlan: 4 } as const
export const STATE = { turned: 1, tcp: 2, closedByClient: 4, closedByServer: 8 } as const
export const HALF = { start: 1, end: 2, size: 4 } as const
export const SUMMARY = { method: 1, path: 2, numericStatus: 4, textStatus: 8, failure: 16 } as const

/** Measurements that are always there, and those that may be absent. */
export const COUNTS = [
  'rtt_samples',
  'retransmissions',
  'fast_retransmissions',
  'duplicate_acks',
  'out_of_order',
  'overlap_conflicts',
  'zero_window',
  'window_full',
  'keep_alive',
  'resets',
  'fins',
  'completeness',
] as const satisfies readonly (keyof TcpMetrics)[]
export const TIMES = [
  'handshake_us',
  'initial_rtt_us',
  'time_to_first_byte_us',
  'rtt_min_us',
  'rtt_max_us',
  'rtt_avg_us',
  'jitter_us',
] as const satisfies readonly (keyof TcpMetrics)[]
