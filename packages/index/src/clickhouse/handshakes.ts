import type { Endpoint } from '@tapdeck/dissect'
import type { HandshakeCounts, HandshakePercentiles } from '../handshake-counts.ts'
import type { Value } from './connection.ts'
import type { Reading } from './reading.ts'

/** Counts that are sent between threads with a query. A network scan has that many destinations. */
const MAX_COUNTS = 100_000

/** As `destinationOf` writes it. */
const DESTINATION = `coalesce(
  concat('s/', coalesce(server_ns, ''), '/', server_svc), concat('p/', coalesce(server_ns, ''), '/', server_pod),
  concat(server_ip, ' ', toString(server_port)))`

/** Handshake percentiles of each destination in the index: of a service, else of a pod, else of an address and port. */
export async function loadHandshakes(reading: Reading): Promise<ReadonlyMap<string, HandshakePercentiles>> {
  const rows = await reading.connection.rows(
    // Rounded, there are few different values, and the database keeps each once.
    `SELECT ${DESTINATION} AS destination, ${discretePercentiles('assumeNotNull(round(handshake_us))')}
     FROM ${reading.flows} FINAL WHERE ${reading.ofNode('node')} AND handshake_us IS NOT NULL GROUP BY destination`,
  )
  return new Map(rows.map(([destination, list]) => [String(destination), percentilesOf(list)]))
}

export async function countHandshakes(reading: Reading): Promise<HandshakeCounts> {
  const rows = await reading.connection.rows(
    `SELECT ${DESTINATION} AS destination, round(handshake_us) AS us, count() FROM ${reading.flows} FINAL
     WHERE ${reading.ofNode('node')} AND handshake_us IS NOT NULL GROUP BY destination, us LIMIT ${MAX_COUNTS + 1}`,
  )
  if (rows.length > MAX_COUNTS) return undefined
  const counts = new Map<string, (readonly [number, number])[]>()
  for (const [destination, us, connections] of rows) {
    const known = counts.get(String(destination)) ?? []
    known.push([Number(us), Number(connections)])
    counts.set(String(destination), known)
  }
  return counts
}

/** Percentiles that are values which occurred, as a list. The argument is not NULL. */
export function discretePercentiles(value: string): string {
  return `quantilesExactWeighted(0.5, 0.9, 0.99)(${value}, 1)`
}

/** None where there was nothing to count. */
export function percentilesOf(list: Value | undefined): HandshakePercentiles {
  const [p50, p90, p99] = numbersOf(list)
  if (p50 === undefined || p90 === undefined || p99 === undefined) return {}
  return {
    tcp_handshake_p50_us: Math.round(p50),
    tcp_handshake_p90_us: Math.round(p90),
    tcp_handshake_p99_us: Math.round(p99),
  }
}

/** The numbers of a list; of a percentile of nothing, none. */
export function numbersOf(list: Value | undefined): readonly number[] {
  return Array.isArray(list) ? list.flatMap((one) => (typeof one === 'number' ? [one] : [])) : []
}

export function destinationOf({ svc, pod, ns = '', ip, port }: Endpoint): string {
  return svc ? `s/${ns}/${svc}` : pod ? `p/${ns}/${pod}` : `${ip} ${port}`
}
