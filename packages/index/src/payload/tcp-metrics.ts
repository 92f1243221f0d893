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
] as const satisfies readonly (keyof TcpMetrics)[]

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
  writer.byte(NAMES.length)
  // Each by its own name: a loop over names would look every one of them up anew.
  put(metrics.handshake_us, writer)
  put(metrics.initial_rtt_us, writer)
  put(metrics.time_to_first_byte_us, writer)
  put(metrics.rtt_min_us, writer)
  put(metrics.rtt_max_us, writer)
  put(metrics.rtt_avg_us, writer)
  put(metrics.rtt_samples, writer)
  put(metrics.jitter_us, writer)
  put(metrics.retransmissions, writer)
  put(metrics.fast_retransmissions, writer)
  put(metrics.duplicate_acks, writer)
  put(metrics.out_of_order, writer)
  put(metrics.overlap_conflicts, writer)
  put(metrics.zero_window, writer)
  put(metrics.window_full, writer)
  put(metrics.keep_alive, writer)
  put(metrics.resets, writer)
  put(metrics.fins, writer)
  put(metrics.completeness, writer)
}

function put(value: number | undefined, writer: ByteWriter): void {
  if (value === undefined) writer.byte(0)
  else if (value >= 0 && value < 0x7fff_fffd && value === (value | 0)) writer.varint(value + 2)
  else {
    writer.byte(1)
    fraction[0] = value
    for (let i = 0; i < 8; i++) writer.byte(fractionBytes[i])
  }
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
