import type { DuckDBValue } from '@duckdb/node-api'
import { captureErrors, unfinished } from '@tapdeck/dissect'
import { type SqlColumns, toSql } from '@tapdeck/kfl'
import type { StatsGroup, StatsPage, StatsQuery, TimeWindow } from '../call-index.ts'
import { figuresOfGroup } from '../figures-of-group.ts'
import { nameOfGroup, textOfGroup } from '../group-name.ts'
import type { HandshakePercentiles } from '../handshake-counts.ts'
import { QueryTooLarge } from '../query-too-large.ts'
import { bucketOf } from '../time-bucket.ts'
import { callsWith, withNames } from './call-columns.ts'
import { countExactly } from './call-pages.ts'
import { overlaps, type Reading, windowSql } from './candidates.ts'
import type { Chunk } from './chunk.ts'
import { readDistributions } from './distributions.ts'
import { quote } from './engine.ts'
import { type GroupKey, groupKey, isNamedByPort } from './group-key.ts'
import { handshakesOf, numbersOf, percentilesOf, quantiles } from './handshakes.ts'
import { matchingRows, matchSchema } from './matching-rows.ts'
import { withScratchTable } from './scratch-table.ts'
import { exactSql, profileOf, profileSql } from './stats-sql.ts'

/** The unit of latencies for percentiles in the database, and how many of it a microsecond has. */
interface LatencyUnit {
  readonly sql: string
  readonly perMicrosecond: number
}

/**
 * The database takes percentiles of short whole numbers in half the time of doubles, of long ones in two thirds. Whether
 * there is any latency that does not fit is known of all rows that were asked for before.
 */
const microseconds = (latency: string): LatencyUnit => ({ sql: `${latency}::INTEGER`, perMicrosecond: 1 })
/** Finer than this no clock here is. */
const nanoseconds = (latency: string): LatencyUnit => ({
  sql: `(${latency} * 1000)::BIGINT`,
  perMicrosecond: 1000,
})

async function latencyUnit(
  reading: Reading,
  chunks: readonly Chunk[],
  { waits }: StatsQuery,
): Promise<LatencyUnit> {
  const latency = waits ? 'coalesce(c.latency_us, c.waited_us)' : 'c.latency_us'
  const odd = `(${latency} > 2147483647 OR ${latency} <> floor(${latency}))`
  const { total } = await countExactly({ ...reading, chunks }, odd, {}, Number.POSITIVE_INFINITY)
  return total === 0 ? microseconds(latency) : nanoseconds(latency)
}

/** Which rows of a chunk count. */
type Condition = (chunk: Chunk) => string

export async function callStats(
  reading: Reading,
  columns: SqlColumns,
  query: StatsQuery,
): Promise<StatsPage> {
  const chunks = reading.chunks.filter(
    ({ counts }) => counts.calls > 0 && overlaps(counts.oldest, counts.newest, query),
  )
  if (chunks.length === 0) return { groups: [] }
  const { where, exact } = toSql(query.filter, columns)
  const unit = await latencyUnit(reading, chunks, query)
  const unnamed = await hasUnnamed(reading, query)
  const [lost, open, noResponse] = await Promise.all([
    codesOf(reading, chunks, captureErrors),
    codesOf(reading, chunks, [unfinished]),
    codesOf(reading, chunks, ['no_response']),
  ])
  const known = { unit, unnamed, lost, open, noResponse }
  if (exact) {
    if (!query.profile) await refuseTooMany(reading, chunks, where, query)
    return {
      groups: await new Stats(reading, chunks, query, known).groups(() => where),
    }
  }
  const { batches, since } = await matchingRows(reading, query.filter, where, query)
  // Rates are of the time that was looked at.
  const asked = since === undefined ? query : { ...query, start: since }
  const stats = new Stats(reading, chunks, asked, known)
  const groups = await withScratchTable(reading.engine, matchSchema, batches, (table) =>
    stats.groups(({ number }) => `c.rowid IN (SELECT row FROM ${table} WHERE chunk = ${number})`),
  )
  return { groups, ...(since !== undefined && { counted_from_ts: since }) }
}

async function hasUnnamed({ engine, chunks }: Reading, { group_by }: StatsQuery): Promise<boolean> {
  if (!isNamedByPort(group_by)) return false
  const each = chunks.map(
    ({ database }) => `(SELECT 1 FROM ${database}.endpoints WHERE svc IS NULL AND pod IS NULL LIMIT 1)`,
  )
  return (await engine.rows(each.join(' UNION ALL '))).length > 0
}

/** The codes of these error texts, by chunk. */
async function codesOf(
  { engine }: Reading,
  chunks: readonly Chunk[],
  errors: readonly string[],
): Promise<ReadonlyMap<Chunk, readonly number[]>> {
  const texts = errors.map(quote).join(', ')
  const each = chunks.map(
    ({ database }, i) => `SELECT ${i}, id::DOUBLE FROM ${database}.words WHERE text IN (${texts})`,
  )
  const rows = (await engine.rows(each.join(' UNION ALL '))).map((row) => row.map(Number))
  return new Map(chunks.map((chunk, i) => [chunk, rows.flatMap(([at, id]) => (at === i ? [id] : []))]))
}

function hasError(codes: readonly number[] = []): string {
  return codes.length === 0 ? 'false' : `c.error IN (${codes.join(', ')})`
}

/** Counts the calls before their percentiles are taken, where there could be more of them than memory is for. */
async function refuseTooMany(
  reading: Reading,
  chunks: readonly Chunk[],
  where: string,
  window: TimeWindow,
): Promise<void> {
  const most = reading.engine.mostValues
  if (chunks.reduce((sum, { counts }) => sum + counts.calls, 0) <= most) return
  const { total } = await countExactly(reading, where, window, Number.POSITIVE_INFINITY)
  if (total <= most) return
  const figures = [total, most].map((count) => count.toLocaleString('en'))
  throw new QueryTooLarge(
    `Percentiles of ${figures[0]} calls need more memory than a query may have, which is for ${figures[1]}.`,
  )
}

/** What is looked up of the rows before they are counted. */
interface Known {
  readonly unit: LatencyUnit
  readonly unnamed: boolean
  readonly lost: ReadonlyMap<Chunk, readonly number[]>
  readonly open: ReadonlyMap<Chunk, readonly number[]>
  readonly noResponse: ReadonlyMap<Chunk, readonly number[]>
}

/** One question for groups of calls, over some chunks. */
class Stats {
  readonly #reading: Reading
  readonly #chunks: readonly Chunk[]
  readonly #query: StatsQuery
  readonly #key: GroupKey
  readonly #unit: LatencyUnit
  readonly #lost: Known['lost']
  readonly #open: Known['open']
  readonly #noResponse: Known['noResponse']
  /** Milliseconds of the window that has data, and of a time bucket in it. */
  readonly #span: number
  readonly #bucket: number

  constructor(
    reading: Reading,
    chunks: readonly Chunk[],
    query: StatsQuery,
    { unit, unnamed, lost, open, noResponse }: Known,
  ) {
    this.#noResponse = noResponse
    this.#unit = unit
    this.#lost = lost
    this.#open = open
    this.#reading = reading
    this.#chunks = chunks
    this.#query = query
    this.#span = spanOf(chunks, query)
    this.#bucket = bucketOf(this.#span, query.buckets ?? query.limit)
    this.#key = groupKey(query.group_by, reading.common.node, this.#bucket, unnamed)
  }

  async groups(condition: Condition): Promise<readonly StatsGroup[]> {
    const { group_by, limit, at_least = 0, only, distributions, profile } = this.#query
    const byTime = group_by === 'time'
    const columns = (chunk: Chunk) =>
      `${this.#failure(chunk)} AS error, ${hasError(this.#lost.get(chunk))} AS lost, ${this.#unit.sql} AS latency, c.req_size, c.resp_size, ${this.#isUnanswered(chunk)} AS unanswered, c.waited_us AS waited, c.ts`
    const rowsOf = this.#rows(condition, columns)
    const wanted = only
      ? `WHERE name IN (${only.map((one) => quote(textOfGroup(this.#key, one))).join(', ')})`
      : ''
    const order = `HAVING calls >= ${at_least} ORDER BY ${byTime ? 'name' : 'calls DESC, name'} LIMIT ${limit}`
    const [rows, handshakes] = await Promise.all([
      this.#reading.engine.rows(
        profile ? profileSql(rowsOf, wanted, order) : exactSql(rowsOf, wanted, order),
      ),
      profile ? new Map<unknown, HandshakePercentiles>() : this.#handshakes(condition),
    ])
    const carried = distributions ? await this.#distributions(condition, rows) : undefined
    return rows.map(([name, calls, errors, lost, bytes, latencies, ...more]) => {
      const percentiles = numbersOf(latencies).map((value) => this.#milliseconds(value))
      const span = byTime ? this.#bucket : this.#span
      return {
        ...(byTime
          ? { group: new Date(Number(name) * this.#bucket).toISOString() }
          : nameOfGroup(this.#key, String(name))),
        ...figuresOfGroup({ calls, errors, lost, percentiles, span }),
        bytes: Number(bytes),
        ...(profile && profileOf(more)),
        ...handshakes.get(name),
        ...carried?.(name),
      }
    })
  }

  /** The latencies and handshakes of these groups, in microseconds. */
  async #distributions(
    condition: Condition,
    groups: readonly (readonly DuckDBValue[])[],
  ): Promise<(name: DuckDBValue) => Pick<StatsGroup, 'latencies' | 'handshakes'>> {
    const sizes = new Map(groups.map(([name, calls]) => [name, Number(calls)]))
    const latencies = this.#rows(condition, () => `${this.#unit.sql} AS value`)
    const [byLatency, byHandshake] = await Promise.all([
      readDistributions(this.#reading.engine, latencies, sizes, this.#unit.perMicrosecond),
      readDistributions(this.#reading.engine, this.#handshakeRows(condition), sizes),
    ])
    return (name) => ({
      latencies: byLatency.get(name) ?? { values: [] },
      handshakes: byHandshake.get(name) ?? { values: [] },
    })
  }

  #milliseconds(latency: number): number {
    return Math.round((latency * 1000) / this.#unit.perMicrosecond) / 1e6
  }

  /** The error; null for calls that were open when the observation ended: they did not fail. */
  #failure(chunk: Chunk): string {
    return `CASE WHEN ${hasError(this.#open.get(chunk))} THEN NULL ELSE c.error END`
  }

  /** A request that got no answer, though the capture has all of its connection. */
  #isUnanswered(chunk: Chunk): string {
    return hasError(this.#noResponse.get(chunk))
  }

  /** Of the connections that carried the calls of each group, every connection once. */
  async #handshakes(condition: Condition): Promise<ReadonlyMap<unknown, HandshakePercentiles>> {
    const rows = await this.#reading.engine.rows(
      `SELECT name, ${quantiles('value')} FROM (${this.#handshakeRows(condition)}) GROUP BY name`,
    )
    return new Map(rows.map(([name, list]) => [name, percentilesOf(list)]))
  }

  /** The handshake of each connection as `value`, with its group. */
  #handshakeRows(condition: Condition): string {
    const { start, end } = this.#query
    const everything = start === undefined && end === undefined && condition(this.#chunks[0]) === 'true'
    if (everything && this.#key.ofPeers)
      return `SELECT name, handshake_us AS value FROM (${this.#connections()})`
    return `SELECT name, any_value(handshake_us) AS value
      FROM (${this.#rows(condition, () => 'c.flow, c.handshake_us', 'c.handshake_us IS NOT NULL')})
      GROUP BY name, flow`
  }

  /** All connections, straight from the flows: the cheap way where nothing is left out. */
  #connections(): string {
    const { sql, join } = this.#key
    const each = this.#reading.chunks.map(({ database }, i) => {
      const flows = `(SELECT client AS src, server AS dst, client_port AS src_port, server_port AS dst_port, handshake_us
        FROM ${database}.flows WHERE ${handshakesOf(i)}) c`
      return `SELECT ${sql} AS name, c.handshake_us FROM ${withNames(flows, database, sql)} ${join?.(database) ?? ''}`
    })
    return each.join(' UNION ALL ')
  }

  /** The rows that count, with the group of each as `name`. */
  #rows(condition: Condition, columns: (chunk: Chunk) => string, ...more: readonly string[]): string {
    return this.#select(condition, (chunk) => `${this.#key.sql} AS name, ${columns(chunk)}`, ...more)
  }

  #select(condition: Condition, columns: (chunk: Chunk) => string, ...more: readonly string[]): string {
    const each = this.#chunks.map((chunk) => {
      const list = columns(chunk)
      const where = [condition(chunk), ...windowSql(this.#query), ...more].join(' AND ')
      const source = [callsWith(chunk.database, list, where), this.#key.join?.(chunk.database) ?? '']
      return `SELECT ${list} FROM ${source.join(' ')} WHERE ${where}`
    })
    return each.join(' UNION ALL ')
  }
}

function spanOf(chunks: readonly Chunk[], { start, end, span }: StatsQuery): number {
  const oldest = span?.from ?? Math.min(...chunks.map(({ counts }) => counts.oldest)) / 1000
  const newest = span?.to ?? Math.max(...chunks.map(({ counts }) => counts.newest)) / 1000
  return Math.min(end ?? newest, newest) - Math.max(start ?? oldest, oldest)
}
