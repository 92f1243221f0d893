import type { ByteWriter } from '@tapdeck/dissect'
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
  'client_zero_window_us',
  'server_zero_window_us',
  'client_fin_us',
  'server_fin_us',
  'client_reset_us',
  'server_reset_us',
] as const satisfies readonly (keyof TcpMetrics)[]

/** Nothing of a measurement is longer than 9 bytes. */
const scratch = new Uint8Array(1 + NAMES.length * 9)
const fraction = new Float64Array(1)
const fractionBytes = new Uint8Array(fraction.buffer)

/**
 * Measurements, or their absence: how many follow (1 byte), then of each a varint: 0 absent, 1 eight bytes of a fraction
 * follow (little endian), else the whole number plus 2.
 */
export function writeMetrics(metrics: TcpMetrics | undefined, writer: ByteWriter): void {
  if (metrics === undefined) {
    writer.byte(0)
    return
  }
  scratch[0] = NAMES.length
  let at = 1
  // Each by its own name: a loop over names would look every one of them up anew.
  at = put(metrics.handshake_us, at)
  at = put(metrics.initial_rtt_us, at)
  at = put(metrics.time_to_first_byte_us, at)
  at = put(metrics.rtt_min_us, at)
  at = put(metrics.rtt_max_us, at)
  at = put(metrics.rtt_avg_us, at)
  at = count(metrics.rtt_samples, at)
  at = put(metrics.jitter_us, at)
  at = count(metrics.retransmissions, at)
  at = count(metrics.fast_retransmissions, at)
  at = count(metrics.duplicate_acks, at)
  at = count(metrics.out_of_order, at)
  at = count(metrics.overlap_conflicts, at)
  at = count(metrics.zero_window, at)
  at = count(metrics.window_full, at)
  at = count(metrics.keep_alive, at)
  at = count(metrics.resets, at)
  at = count(metrics.fins, at)
  at = count(metrics.completeness, at)
  at = put(metrics.client_zero_window_us, at)
  at = put(metrics.server_zero_window_us, at)
  at = put(metrics.client_fin_us, at)
  at = put(metrics.server_fin_us, at)
  at = put(metrics.client_reset_us, at)
  at = put(metrics.server_reset_us, at)
  writer.short(scratch, at)
}

/** A counter is mostly small. This function is short enough to be inlined. */
function count(value: number, at: number): number {
  if (value < 126 && value >= 0 && value === (value | 0)) {
    scratch[at] = value + 2
    return at + 1
  }
  return put(value, at)
}

function put(value: number | undefined, from: number): number {
  let at = from
  if (value === undefined) {
    scratch[at++] = 0
    return at
  }
  if (value >= 0 && value < 0x7fff_fffd && value === (value | 0)) {
    let rest = value + 2
    for (; rest > 127; rest >>= 7) scratch[at++] = rest | 128
    scratch[at++] = rest
    return at
  }
  scratch[at++] = 1
  fraction[0] = value
  for (let i = 0; i < 8; i++) scratch[at++] = fractionBytes[i]
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
