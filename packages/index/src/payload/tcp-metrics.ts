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

/** As numbers, NaN where absent: what is read by name and what is written is in a loop of its own, which the compiler does best. */
const values = new Float64Array(NAMES.length)
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
  // Each by its own name: a loop over names would look every one of them up anew.
  values[0] = metrics.handshake_us ?? Number.NaN
  values[1] = metrics.initial_rtt_us ?? Number.NaN
  values[2] = metrics.time_to_first_byte_us ?? Number.NaN
  values[3] = metrics.rtt_min_us ?? Number.NaN
  values[4] = metrics.rtt_max_us ?? Number.NaN
  values[5] = metrics.rtt_avg_us ?? Number.NaN
  values[6] = metrics.rtt_samples
  values[7] = metrics.jitter_us ?? Number.NaN
  values[8] = metrics.retransmissions
  values[9] = metrics.fast_retransmissions
  values[10] = metrics.duplicate_acks
  values[11] = metrics.out_of_order
  values[12] = metrics.overlap_conflicts
  values[13] = metrics.zero_window
  values[14] = metrics.window_full
  values[15] = metrics.keep_alive
  values[16] = metrics.resets
  values[17] = metrics.fins
  values[18] = metrics.completeness
  writer.short(scratch, encode())
}

/** Returns how long they are in `scratch`. */
function encode(): number {
  scratch[0] = NAMES.length
  let at = 1
  for (let i = 0; i < NAMES.length; i++) {
    const value = values[i]
    const whole = value | 0
    if (whole === value && whole >= 0 && whole < 0x7fff_fffd) {
      let rest = whole + 2
      for (; rest > 127; rest >>= 7) scratch[at++] = rest | 128
      scratch[at++] = rest
    } else if (Number.isNaN(value)) scratch[at++] = 0
    else {
      scratch[at++] = 1
      fraction[0] = value
      for (let k = 0; k < 8; k++) scratch[at++] = fractionBytes[k]
    }
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
