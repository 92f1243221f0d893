import type { Endpoint } from '@tapdeck/dissect'
import { type HandshakeCounts, type HandshakePercentiles, handshakePercentiles } from '@tapdeck/questions'
import { byTime, IN_ORDER } from './by-time.ts'
import type { Value } from './connection.ts'
import { quote } from './quote.ts'
import type { Reading, ShownCall } from './reading.ts'

/** Counts that are sent between threads with a query. A network scan has that many destinations. */
const MAX_COUNTS = 100_000

/** Of the calls before those that are shown, and of the calls after them, so many are read. */
const NEAR = 20_000

/** As `destinationOf` writes it. */
const destination = (side: 'server' | 'dst') => `coalesce(
  concat('s/', coalesce(${side}_ns, ''), '/', ${side}_svc), concat('p/', coalesce(${side}_ns, ''), '/', ${side}_pod),
  concat(${side}_ip, ' ', toString(${side}_port)))`

const NEAR_COLUMNS = [
  'ts',
  'node',
  'flow',
  'dst_ns',
  'dst_svc',
  'dst_pod',
  'dst_ip',
  'dst_port',
  'handshake_us',
]

/**
 * Handshake percentiles of the destinations of some calls: of a service, else of a pod, else of an address and port. They are of
 * the connections of the calls next to those that are shown. All connections of all time would take longer the more there are.
 */
export class Handshakes {
  readonly #reading: Reading
  readonly #known = new Map<string, HandshakePercentiles>()

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** To be called before a call is looked at. */
  async load(calls: readonly ShownCall[]): Promise<void> {
    const wanted = calls.filter(({ dst }) => !this.#known.has(destinationOf(dst)))
    if (wanted.length === 0) return
    const names = [...new Set(wanted.map(({ dst }) => destinationOf(dst)))]
    const newest = wanted.reduce((last, { position }) => Math.max(last, position.ts), 0)
    for (const [name, list] of await this.#reading.connection.rows(this.#sql(names, newest)))
      this.#known.set(String(name), percentilesOf(list))
    for (const name of names) if (!this.#known.has(name)) this.#known.set(name, ownHandshakes(wanted, name))
  }

  of(dst: Endpoint): HandshakePercentiles | undefined {
    return this.#known.get(destinationOf(dst))
  }

  #sql(names: readonly string[], newest: number): string {
    const columns = NEAR_COLUMNS.map((name) => `c.${name} AS ${name}`).join(', ')
    const side = (isBefore: boolean) =>
      `SELECT ${columns} FROM ${this.#reading.calls} AS c WHERE c.ts ${isBefore ? '<=' : '>'} toFloat64(${newest})
       ORDER BY ${byTime(isBefore ? 'DESC' : 'ASC')} LIMIT ${NEAR}`
    // The condition on the node comes after the limit, so that the rows of other nodes count too.
    return `SELECT destination, ${discretePercentiles('assumeNotNull(round(took))')} FROM (
        SELECT ${destination('dst')} AS destination, any(handshake_us) AS took
        FROM (${side(true)} UNION ALL ${side(false)})
        WHERE ${this.#reading.ofNode('node')} AND handshake_us IS NOT NULL AND destination IN (${names.map(quote).join(', ')})
        GROUP BY destination, node, flow
      ) GROUP BY destination SETTINGS ${IN_ORDER}`
  }
}

/** The handshakes of these calls themselves, where none of their destination are near. */
function ownHandshakes(calls: readonly ShownCall[], name: string): HandshakePercentiles {
  const took = new Map<string, number>()
  for (const { dst, node_id, flow_id, handshake } of calls)
    if (handshake !== undefined && destinationOf(dst) === name)
      took.set(`${node_id}/${flow_id}`, Math.round(handshake))
  const values = [...took.values()].sort((one, other) => one - other)
  return handshakePercentiles({ values: values.map((value) => [value, 1] as const) })
}

export async function countHandshakes(reading: Reading): Promise<HandshakeCounts> {
  const rows = await reading.connection.rows(
    `SELECT ${destination('server')} AS destination, round(handshake_us) AS us, count() FROM ${reading.flows} FINAL
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
