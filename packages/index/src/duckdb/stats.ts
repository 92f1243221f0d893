import type { DuckDBValue } from '@duckdb/node-api'
import { captureErrors, unfinished } from '@tapdeck/dissect'
import { type SqlColumns, toSql } from '@tapdeck/kfl'
import {
  type HandshakePercentiles,
  precisionFor,
  type StatsGroup,
  type StatsPage,
  type StatsQuery,
  type TimeWindow,
} from '@tapdeck/questions'
import { figuresOfGroup } from '../figures-of-group.ts'
import { nameOfGroup, textOfGroup } from '../group-name.ts'
import { QueryTooLarge } from '../query-too-large.ts'
import { bucketOf } from '../time-bucket.ts'
import { callsWith, withNames } from './call-columns.ts'
import { countExactly } from './call-pages.ts'
import { overlaps, type Reading, windowSql } from './candidates.ts'
import type { Chunk } from './chunk.ts'
import { collected, groupsOf, type OverChunks } from './collect.ts'
import { quantilesOfCounts, readDistributions, roundSql } from './distributions.ts'
import { quote } from './engine.ts'
import { type GroupKey, groupKey, isNamedByPort } from './group-key.ts'
import { handshakesOf, numbersOf, percentilesOf, quantiles, SHARES } from './handshakes.ts'
import { matchingRows, matchSchema } from './matching-rows.ts'
import { withScratchTable } from './scratch-table.ts'
import { countedSql, exactSql, profileOf, sumsSql } from './stats-sql.ts'

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

/** A row of a table in memory takes as much as so many values of percentiles. */
const VALUES_A_ROW = 8

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
  const known = { unit, unnamed, codes: await codesOf(reading, chunks) }
  if (exact) {
    const span = spanOf(chunks, query)
    const exactly = !query.profile && (await areFew(reading, chunks, where, query))
    const groups = (isExact: boolean) =>
      new Stats(reading, chunks, { ...query, span }, known, isExact).groups(() => where)
    try {
      return { groups: await groups(exactly) }
    } catch (error) {
      if (!exactly || !(error instanceof QueryTooLarge)) throw error
      // Their number does not say how many bytes calls take: the names of groups may be long.
      return { groups: await groups(false) }
    }
  }
  const { batches, since } = await matchingRows(reading, query.filter, where, query)
  // Rates are of the time that was looked at.
  const asked = since === undefined ? query : { ...query, start: since }
  const span = spanOf(chunks, asked)
  const numbers = new Set(batches.flatMap(({ columns, count }) => [...columns.chunk.subarray(0, count)]))
  const having = chunks.filter(({ number }) => numbers.has(number))
  const stats = new Stats(reading, having, { ...asked, span }, known, !query.profile)
  const groups = await withScratchTable(reading.engine, matchSchema, batches, (table) =>
    stats.groups(({ number }) => `c.rowid IN (SELECT row FROM ${table} WHERE chunk = ${number})`),
  )
  return { groups, ...(since !== undefined && { counted_from_ts: since }) }
}

async function hasUnnamed({ engine, chunks }: Reading, { group_by }: StatsQuery): Promise<boolean> {
  if (!isNamedByPort(group_by)) return false
  for (const group of groupsOf(engine, chunks)) {
    const each = group.map(
      ({ database }) => `(SELECT 1 FROM ${database}.endpoints WHERE svc IS NULL AND pod IS NULL LIMIT 1)`,
    )
    if ((await engine.rows(each.join(' UNION ALL '))).length > 0) return true
  }
  return false
}

/** Errors that mean more than that a call failed. */
const TOLD_APART = [...captureErrors, unfinished, 'no_response']

/** Their codes, by text, in each chunk that has any. */
type Codes = ReadonlyMap<Chunk, ReadonlyMap<string, number>>

async function codesOf({ engine }: Reading, chunks: readonly Chunk[]): Promise<Codes> {
  const codes = new Map<Chunk, Map<string, number>>()
  const texts = TOLD_APART.map(quote).join(', ')
  for (const group of groupsOf(engine, chunks)) {
    const each = group.map(
      ({ database }, at) => `SELECT ${at}, id::DOUBLE, text FROM ${database}.words WHERE text IN (${texts})`,
    )
    for (const [at, id, text] of await engine.rows(each.join(' UNION ALL '))) {
      const chunk = group[Number(at)]
      const known = codes.get(chunk) ?? new Map()
      codes.set(chunk, known.set(String(text), Number(id)))
    }
  }
  return codes
}

/** Whether there is memory for the exact percentiles of these calls: of many chunks, they are put into one table first. */
async function areFew(
  reading: Reading,
  chunks: readonly Chunk[],
  where: string,
  window: TimeWindow,
): Promise<boolean> {
  const { mostValues } = reading.engine
  const most = groupsOf(reading.engine, chunks).length > 1 ? mostValues / VALUES_A_ROW : mostValues
  if (chunks.reduce((sum, { counts }) => sum + counts.calls, 0) <= most) return true
  const { total } = await countExactly(reading, where, window, Number.POSITIVE_INFINITY)
  return total <= most
}

/** What is looked up of the rows before they are counted. */
interface Known {
  readonly unit: LatencyUnit
  readonly unnamed: boolean
  readonly codes: Codes
}

/** The oldest and the newest time that rates are of, in Unix milliseconds. */
interface Spanned extends StatsQuery {
  readonly span: { readonly from: number; readonly to: number }
}

/** One question for groups of calls, over some chunks. */
class Stats {
  readonly #reading: Reading
  readonly #chunks: readonly Chunk[]
  readonly #query: StatsQuery
  readonly #key: GroupKey
  readonly #known: Known
  /** Percentiles are of all values; otherwise of values that are rounded, which are few. */
  readonly #exactly: boolean
  /** Leading bits of rounded values. */
  readonly #bits: number
  /** Milliseconds of the window that has data, and of a time bucket in it. */
  readonly #span: number
  readonly #bucket: number

  constructor(reading: Reading, chunks: readonly Chunk[], query: Spanned, known: Known, exactly: boolean) {
    this.#known = known
    this.#exactly = exactly
    // Profiles are of many groups.
    this.#bits = precisionFor(query.profile ? Number.POSITIVE_INFINITY : query.limit).bits
    this.#reading = reading
    this.#chunks = chunks
    this.#query = query
    this.#span = query.span.to - query.span.from
    this.#bucket = bucketOf(this.#span, query.buckets ?? query.limit)
    this.#key = groupKey(query.group_by, reading.common.node, this.#bucket, known.unnamed)
  }

  async groups(condition: Condition): Promise<readonly StatsGroup[]> {
    if (this.#chunks.length === 0) return []
    const { group_by, distributions, profile } = this.#query
    const byTime = group_by === 'time'
    const [rows, handshakes] = await Promise.all([
      this.#figures(condition),
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
        ...(!this.#exactly && { percentiles_are: 'estimate' as const }),
        ...handshakes.get(name),
        ...carried?.(name),
      }
    })
  }

  /** The first groups: name, calls, errors, calls that the capture lost, bytes, percentiles, and what a profile has. */
  #figures(condition: Condition): Promise<DuckDBValue[][]> {
    const { engine } = this.#reading
    const { group_by, limit, at_least = 0, only, profile = false } = this.#query
    const columns = (chunk: Chunk) =>
      `${this.#failure(chunk)} AS error, ${this.#hasError(chunk, captureErrors)} AS lost, ${this.#known.unit.sql} AS latency, c.req_size, c.resp_size, ${this.#isUnanswered(chunk)} AS unanswered, c.waited_us AS waited, c.ts`
    const rows: OverChunks = (chunks) => this.#rows(chunks, condition, columns)
    const wanted = only
      ? `WHERE name IN (${only.map((one) => quote(textOfGroup(this.#key, one))).join(', ')})`
      : ''
    const order = group_by === 'time' ? 'name' : 'calls DESC, name'
    const having = `HAVING calls >= ${at_least} ORDER BY ${order} LIMIT ${limit}`
    const groups = groupsOf(engine, this.#chunks)
    if (this.#exactly)
      return collected(engine, groups, rows, (all) => engine.rows(exactSql(all, wanted, having)))
    const counted: OverChunks = (chunks) => countedSql(rows(chunks), wanted, this.#bits, profile)
    return collected(engine, groups, counted, (all) => engine.rows(sumsSql(all, having, order, profile)))
  }

  /** The latencies and handshakes of these groups, in microseconds. */
  async #distributions(
    condition: Condition,
    groups: readonly (readonly DuckDBValue[])[],
  ): Promise<(name: DuckDBValue) => Pick<StatsGroup, 'latencies' | 'handshakes'>> {
    const { engine } = this.#reading
    const { unit } = this.#known
    const sizes = new Map(groups.map(([name, calls]) => [name, Number(calls)]))
    const latencies: OverChunks = (chunks) => this.#rows(chunks, condition, () => `${unit.sql} AS value`)
    const [byLatency, byHandshake] = await Promise.all([
      readDistributions(engine, groupsOf(engine, this.#chunks), latencies, sizes, unit.perMicrosecond),
      this.#connections(condition, (all, values) => readDistributions(engine, all, values, sizes)),
    ])
    return (name) => ({
      latencies: byLatency.get(name) ?? { values: [] },
      handshakes: byHandshake.get(name) ?? { values: [] },
    })
  }

  #milliseconds(latency: number): number {
    return Math.round((latency * 1000) / this.#known.unit.perMicrosecond) / 1e6
  }

  /** The error; null for calls that were open when the observation ended: they did not fail. */
  #failure(chunk: Chunk): string {
    return `CASE WHEN ${this.#hasError(chunk, [unfinished])} THEN NULL ELSE c.error END`
  }

  /** A request that got no answer, though the capture has all of its connection. */
  #isUnanswered(chunk: Chunk): string {
    return this.#hasError(chunk, ['no_response'])
  }

  #hasError(chunk: Chunk, errors: readonly string[]): string {
    const known = this.#known.codes.get(chunk)
    const codes = errors.flatMap((error) => known?.get(error) ?? [])
    return codes.length === 0 ? 'false' : `c.error IN (${codes.join(', ')})`
  }

  /** Of the connections that carried the calls of each group, every connection once. */
  async #handshakes(condition: Condition): Promise<ReadonlyMap<unknown, HandshakePercentiles>> {
    const { engine } = this.#reading
    const counts = (values: string) =>
      `SELECT name, ${roundSql('value', this.#bits)} AS v, count(*) AS n FROM (${values}) WHERE value IS NOT NULL GROUP BY ALL`
    const rows = await this.#connections(condition, (groups, values) =>
      this.#exactly
        ? collected(engine, groups, values, (all) =>
            engine.rows(`SELECT name, ${quantiles('value')} FROM ${all} GROUP BY name`),
          )
        : collected(
            engine,
            groups,
            (chunks) => counts(values(chunks)),
            (all) => engine.rows(quantilesOfCounts(all, SHARES)),
          ),
    )
    return new Map(rows.map(([name, list]) => [name, percentilesOf(list)]))
  }

  /**
   * Runs a query over the handshake of each connection, as `value`, with its group. Where percentiles are estimates and chunks
   * are read in groups, a connection counts once for each of these groups that has calls of it.
   */
  #connections<Result>(
    condition: Condition,
    query: (groups: readonly (readonly Chunk[])[], values: OverChunks) => Promise<Result>,
  ): Promise<Result> {
    const { engine, chunks } = this.#reading
    const { start, end } = this.#query
    const everything = start === undefined && end === undefined && condition(this.#chunks[0]) === 'true'
    // Straight from the flows: the cheap way where nothing is left out.
    if (everything && this.#key.ofPeers)
      return query(groupsOf(engine, chunks), (some) => this.#allConnections(some))
    const groups = groupsOf(engine, this.#chunks)
    const once = (rows: string) =>
      `SELECT name, flow, any_value(value) AS value FROM ${rows} GROUP BY name, flow`
    const values: OverChunks = (some) =>
      once(
        `(${this.#rows(some, condition, () => 'c.flow, c.handshake_us AS value', 'c.handshake_us IS NOT NULL')})`,
      )
    if (groups.length === 1 || !this.#exactly) return query(groups, values)
    return collected(engine, groups, values, (all) => query([[]], () => once(all)))
  }

  #allConnections(chunks: readonly Chunk[]): string {
    const { sql, join } = this.#key
    const [oldest] = this.#reading.chunks
    const each = chunks.map((chunk) => {
      const { database } = chunk
      const flows = `(SELECT client AS src, server AS dst, client_port AS src_port, server_port AS dst_port, handshake_us
        FROM ${database}.flows WHERE ${handshakesOf(chunk, oldest)}) c`
      return `SELECT ${sql} AS name, c.handshake_us AS value FROM ${withNames(flows, database, sql)} ${join?.(database) ?? ''}`
    })
    return each.join(' UNION ALL ')
  }

  /** The rows that count, with the group of each as `name`. */
  #rows(
    chunks: readonly Chunk[],
    condition: Condition,
    columns: (chunk: Chunk) => string,
    ...more: readonly string[]
  ): string {
    const each = chunks.map((chunk) => {
      const list = `${this.#key.sql} AS name, ${columns(chunk)}`
      const where = [condition(chunk), ...windowSql(this.#query), ...more].join(' AND ')
      const source = [callsWith(chunk.database, list, where), this.#key.join?.(chunk.database) ?? '']
      return `SELECT ${list} FROM ${source.join(' ')} WHERE ${where}`
    })
    return each.join(' UNION ALL ')
  }
}

function spanOf(chunks: readonly Chunk[], { start, end, span }: StatsQuery): Spanned['span'] {
  const oldest = span?.from ?? Math.min(...chunks.map(({ counts }) => counts.oldest)) / 1000
  const newest = span?.to ?? Math.max(...chunks.map(({ counts }) => counts.newest)) / 1000
  return { from: Math.max(start ?? oldest, oldest), to: Math.min(end ?? newest, newest) }
}
