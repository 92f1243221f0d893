import { type Distribution, discreteQuantile } from './distribution.ts'
import { type Fielded, isCount, optional } from './message-values.ts'

export const handshakes = {
  tcp_handshake_p50_us: optional(isCount),
  tcp_handshake_p90_us: optional(isCount),
  tcp_handshake_p99_us: optional(isCount),
}
export interface HandshakePercentiles extends Fielded<typeof handshakes> {}

/**
 * By destination, how many connections took how many microseconds. Plain data: it may go to another thread. Undefined
 * where that would be too much.
 */
export type HandshakeCounts =
  | ReadonlyMap<string, readonly (readonly [us: number, connections: number])[]>
  | undefined

/**
 * The percentiles of each destination over several indexes that share no connection, exact: each is a value that
 * occurred. None at all where one of them has too many: those of the others would be taken for all.
 */
export function mergeHandshakes(all: readonly HandshakeCounts[]): Map<string, HandshakePercentiles> {
  const merged = new Map<string, HandshakePercentiles>()
  const known = all.filter((counts) => counts !== undefined)
  if (known.length < all.length) return merged
  const destinations = new Set(known.flatMap((counts) => [...counts.keys()]))
  for (const destination of destinations) {
    const counts = known.flatMap((one) => one.get(destination) ?? []).sort(([one], [other]) => one - other)
    merged.set(destination, handshakePercentiles({ values: counts }))
  }
  return merged
}

/** None where there are no values. */
export function handshakePercentiles(handshakes: Distribution): HandshakePercentiles {
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((part) => discreteQuantile(handshakes, part))
  if (p50 === undefined || p90 === undefined || p99 === undefined) return {}
  return {
    tcp_handshake_p50_us: Math.round(p50),
    tcp_handshake_p90_us: Math.round(p90),
    tcp_handshake_p99_us: Math.round(p99),
  }
}
