import type { DirectionCounters, Flow, TcpMetrics } from '@tapdeck/wire'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** A flow that a test may change, as `Streams` would. */
export type SampleFlow = Writable<Flow> & {
  readonly directions: readonly [DirectionCounters, DirectionCounters]
}

export interface FlowOptions {
  readonly id?: number
  readonly transport?: Flow['transport']
  readonly client?: string
  readonly clientPort?: number
  readonly server?: string
  readonly serverPort?: number
  /** Microseconds. */
  readonly start?: number
  readonly handshake?: number
  readonly tcp?: Partial<TcpMetrics>
}

/** 2026-01-01T00:00:00Z in microseconds. */
export const DAWN = 1_767_225_600_000_000

export function sampleFlow(options: FlowOptions = {}): SampleFlow {
  const { transport = 'tcp', start = DAWN, handshake } = options
  return {
    id: options.id ?? 4711,
    transport,
    ends: [
      { ip: options.client ?? '10.0.0.1', port: options.clientPort ?? 40_000 },
      { ip: options.server ?? '10.0.0.2', port: options.serverPort ?? 80 },
    ],
    midstream: false,
    start,
    last: start + 1000,
    directions: [
      { packets: 4, bytes: 400, goodput: 300, missing: 0 },
      { packets: 3, bytes: 900, goodput: 800, missing: 0 },
    ],
    ...(transport === 'tcp' && {
      tcp: { ...noMetrics, ...(handshake !== undefined && { handshake_us: handshake }), ...options.tcp },
    }),
    state: undefined,
  }
}

const noMetrics: TcpMetrics = {
  rtt_samples: 0,
  retransmissions: 0,
  fast_retransmissions: 0,
  duplicate_acks: 0,
  out_of_order: 0,
  overlap_conflicts: 0,
  zero_window: 0,
  window_full: 0,
  keep_alive: 0,
  resets: 0,
  fins: 0,
  completeness: 0,
}
