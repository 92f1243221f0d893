import type { TcpMetrics } from '@tapdeck/wire'

/** In the order on disk: only ever added to at the end. */
const NAMES = [
  'handshake_us',
  'initial_rtt_us',
  'time_to_first_byte_us',
  'rtt_min_us',
  'rtt_max_us',
  'rtt_avg_us',
  'rtt_samples',
  'jitter_us',
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

export const MOST_METRIC_BYTES = 1 + NAMES.length * 9

const fraction = new Float64Array(1)
const fractionBytes = new Uint8Array(fraction.buffer)

/**
 * Packs measurements into the front of `into`, or their absence, and returns the length: how many follow (1 byte),
 * then of each a varint: 0 absent, 1 eight bytes of a fraction follow, else the whole number plus 2.
 */
export function packMetrics(metrics: TcpMetrics | undefined, into: Uint8Array): number {
  if (metrics === undefined) {
    into[0] = 0
    return 1
  }
  into[0] = NAMES.length
  // Each by its own name: a loop over names would look every one of them up anew.
  let at = put(metrics.handshake_us, into, 1)
  at = put(metrics.initial_rtt_us, into, at)
  at = put(metrics.time_to_first_byte_us, into, at)
  at = put(metrics.rtt_min_us, into, at)
  at = put(metrics.rtt_max_us, into, at)
  at = put(metrics.rtt_avg_us, into, at)
  at = put(metrics.rtt_samples, into, at)
  at = put(metrics.jitter_us, into, at)
  at = put(metrics.retransmissions, into, at)
  at = put(metrics.fast_retransmissions, into, at)
  at = put(metrics.duplicate_acks, into, at)
  at = put(metrics.out_of_order, into, at)
  at = put(metrics.overlap_conflicts, into, at)
  at = put(metrics.zero_window, into, at)
  at = put(metrics.window_full, into, at)
  at = put(metrics.keep_alive, into, at)
  at = put(metrics.resets, into, at)
  at = put(metrics.fins, into, at)
  return put(metrics.completeness, into, at)
}

function put(value: number | undefined, into: Uint8Array, start: number): number {
  let at = start
  if (value === undefined) into[at++] = 0
  else if (value >= 0 && value < 0x7fff_fffd && value === (value | 0)) {
    let rest = value + 2
    while (rest > 127) {
      into[at++] = (rest & 127) | 128
      rest >>>= 7
    }
    into[at++] = rest
  } else {
    into[at++] = 1
    fraction[0] = value
    into.set(fractionBytes, at)
    at += 8
  }
  return at
}

/** Measurements from the front of `bytes`, and where they end. */
export function unpackMetrics(bytes: Uint8Array): { readonly tcp?: TcpMetrics; readonly end: number } {
  const count = bytes[0] ?? 0
  if (count === 0) return { end: 1 }
  const values: Partial<Record<(typeof NAMES)[number], number>> = {}
  let at = 1
  for (let i = 0; i < count; i++) {
    let value = 0
    let shift = 0
    for (; bytes[at] > 127; at++, shift += 7) value |= (bytes[at] & 127) << shift
    value = (value | (bytes[at++] << shift)) >>> 0
    if (value === 1) {
      fractionBytes.set(bytes.subarray(at, at + 8))
      at += 8
      if (i < NAMES.length) values[NAMES[i]] = fraction[0]
    } else if (value > 1 && i < NAMES.length) values[NAMES[i]] = value - 2
  }
  return { tcp: complete(values), end: at }
}

const NONE = {
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

function complete(values: Partial<TcpMetrics>): TcpMetrics {
  return { ...NONE, ...values }
}
