import { DuckDBListValue } from '@duckdb/node-api'
import type { Endpoint } from '@tapdeck/dissect'
import type { HandshakeCounts, HandshakePercentiles } from '@tapdeck/questions'
import type { Chunk } from './chunk.ts'
import { collected, groupsOf, type OverChunks } from './collect.ts'
import { quantilesOfCounts } from './distributions.ts'
import type { Engine } from './engine.ts'

/** Counts that are sent between threads with a query. A network scan has that many destinations. */
const MAX_COUNTS = 100_000

/** Handshake percentiles of each destination in the database: of a service, else of a pod, else of an address and port. */
export class Handshakes {
  readonly #percentiles: ReadonlyMap<string, HandshakePercentiles>

  constructor(percentiles: ReadonlyMap<string, HandshakePercentiles> = new Map()) {
    this.#percentiles = percentiles
  }

  static async load(engine: Engine, chunks: readonly Chunk[]): Promise<Handshakes> {
    if (chunks.length === 0) return new Handshakes()
    const rows = await collected(engine, groupsOf(engine, chunks), countsOf(chunks), (counts) =>
      engine.rows(quantilesOfCounts(counts, SHARES)),
    )
    return new Handshakes(
      new Map(rows.map(([destination, list]) => [String(destination), percentilesOf(list)])),
    )
  }

  of(destination: Endpoint): HandshakePercentiles | undefined {
    return this.#percentiles.get(destinationOf(destination))
  }
}

/** What several indexes can put together: percentiles of percentiles would be wrong. */
export async function countHandshakes(engine: Engine, chunks: readonly Chunk[]): Promise<HandshakeCounts> {
  const counts = new Map<string, (readonly [number, number])[]>()
  if (chunks.length === 0) return counts
  const rows = await collected(engine, groupsOf(engine, chunks), countsOf(chunks), (all) =>
    engine.rows(`SELECT name, v, sum(n)::DOUBLE FROM ${all} GROUP BY ALL LIMIT ${MAX_COUNTS + 1}`),
  )
  if (rows.length > MAX_COUNTS) return undefined
  for (const [destination, us, connections] of rows) {
    const known = counts.get(String(destination)) ?? []
    known.push([Number(us), Number(connections)])
    counts.set(String(destination), known)
  }
  return counts
}

/** How many connections to a destination, as `name`, took how many microseconds, as `v`. */
function countsOf([oldest]: readonly Chunk[]): OverChunks {
  return (chunks) => {
    const each = chunks.map(
      (chunk) =>
        `SELECT ${destinationSql('e', 'f.server_port')} AS name, round(f.handshake_us)::DOUBLE AS v
         FROM ${chunk.database}.flows f JOIN ${chunk.database}.endpoints e ON e.id = f.server WHERE ${handshakesOf(chunk, oldest)}`,
    )
    return `SELECT name, v, count(*) AS n FROM (${each.join(' UNION ALL ')}) GROUP BY ALL`
  }
}

/** One row a connection: the oldest chunk has the only ones of what began before it. */
export function handshakesOf(chunk: Chunk, oldest: Chunk | undefined): string {
  return chunk === oldest ? 'handshake IN (1, 2)' : 'handshake = 1'
}

export const SHARES = [0.5, 0.9, 0.99]

/** The percentiles of a column as a list, exact: each is a value that occurred. */
export function quantiles(column: string): string {
  return `quantile_disc(${column}, [${SHARES.join(', ')}])`
}

/** Percentiles from such a list; none where there was nothing to count. */
export function percentilesOf(list: unknown): HandshakePercentiles {
  const [p50, p90, p99] = numbersOf(list)
  if (p50 === undefined) return {}
  return {
    tcp_handshake_p50_us: Math.round(p50),
    tcp_handshake_p90_us: Math.round(p90),
    tcp_handshake_p99_us: Math.round(p99),
  }
}

export function numbersOf(list: unknown): readonly number[] {
  return list instanceof DuckDBListValue ? list.items.map(Number) : []
}

/** The same in SQL and here. */
function destinationSql(endpoint: string, port: string): string {
  const column = (name: string) => `${endpoint}.${name}`
  const ns = `coalesce(${column('ns')}, '')`
  const named = (kind: string, name: string) => `'${kind}/' || ${ns} || '/' || ${column(name)}`
  return `coalesce(${named('s', 'svc')}, ${named('p', 'pod')}, ${column('ip')} || ' ' || ${port})`
}

function destinationOf({ svc, pod, ns = '', ip, port }: Endpoint): string {
  return svc ? `s/${ns}/${svc}` : pod ? `p/${ns}/${pod}` : `${ip} ${port}`
}
