export interface HandshakePercentiles {
  readonly tcp_handshake_p50_us?: number
  readonly tcp_handshake_p90_us?: number
  readonly tcp_handshake_p99_us?: number
}

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
    const total = counts.reduce((sum, [, connections]) => sum + connections, 0)
    const at = (part: number) => valueAt(counts, total - Math.floor(total - part * total))
    merged.set(destination, {
      tcp_handshake_p50_us: at(0.5),
      tcp_handshake_p90_us: at(0.9),
      tcp_handshake_p99_us: at(0.99),
    })
  }
  return merged
}

/** Of values in order, the one of this rank, from 1 on. */
function valueAt(counts: readonly (readonly [us: number, connections: number])[], rank: number): number {
  let seen = 0
  for (const [us, connections] of counts) {
    seen += connections
    if (seen >= rank) return us
  }
  return counts.at(-1)?.[0] ?? 0
}
