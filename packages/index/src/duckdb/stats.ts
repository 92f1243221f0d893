import { type SqlColumns, toSql } from '@tapdeck/kfl'
import type { StatsGroup, StatsQuery, TimeWindow } from '../call-index.ts'
import { callsWith, withNames } from './call-columns.ts'
import { overlaps, type Reading, windowSql } from './candidates.ts'
import type { Chunk } from './chunk.ts'
import { type GroupKey, groupKey } from './group-key.ts'
import { type HandshakePercentiles, handshakesOf, numbersOf, percentilesOf, quantiles } from './handshakes.ts'
import { matchingRows, matchSchema } from './matching-rows.ts'
import { withScratchTable, withTableAs } from './scratch-table.ts'
import { bucketOf } from './time-bucket.ts'

/** Which rows of a chunk count. */
type Condition = (chunk: Chunk) => string

export async function callStats(
  reading: Reading,
  columns: SqlColumns,
  query: StatsQuery,
): Promise<readonly StatsGroup[]> {
  const chunks = reading.chunks.filter(
    ({ counts }) => counts.calls > 0 && overlaps(counts.oldest, counts.newest, query),
  )
  if (chunks.length === 0) return []
  const { where, exact } = toSql(query.filter, columns)
  const stats = new Stats(reading, chunks, query)
  if (exact) return stats.groups(() => where)
  const matching = await matchingRows(reading, query.filter, where, query)
  return withScratchTable(reading.engine, matchSchema, matching, (table) =>
    stats.groups(({ number }) => `c.rowid IN (SELECT row FROM ${table} WHERE chunk = ${number})`),
  )
}

/** One question for groups of calls, over some chunks. */
class Stats {
  readonly #reading: Reading
  readonly #chunks: readonly Chunk[]
  readonly #query: StatsQuery
  readonly #key: GroupKey
  /** Milliseconds of the window that has data, and of a time bucket in it. */
  readonly #span: number
  readonly #bucket: number

  constructor(reading: Reading, chunks: readonly Chunk[], query: StatsQuery) {
    this.#reading = reading
    this.#chunks = chunks
    this.#query = query
    this.#span = spanOf(chunks, query)
    this.#bucket = bucketOf(this.#span, query.limit)
    this.#key = groupKey(query.group_by, reading.common.node, this.#bucket)
  }

  groups(condition: Condition): Promise<readonly StatsGroup[]> {
    const { sql, refine } = this.#key
    if (refine === undefined) return this.#groups(condition)
    const values = `SELECT DISTINCT name FROM (${this.#select(condition, `${sql} AS name`)})`
    return withTableAs(
      this.#reading.engine,
      `SELECT name AS raw, ${refine('name')} AS name FROM (${values})`,
      (table) => this.#groups(condition, table),
    )
  }

  async #groups(condition: Condition, refined?: string): Promise<readonly StatsGroup[]> {
    const { group_by, limit } = this.#query
    const byTime = group_by === 'time'
    const [rows, handshakes] = await Promise.all([
      this.#reading.engine.rows(`
        SELECT name, count(*)::DOUBLE AS calls, count(error)::DOUBLE,
          (coalesce(sum(req_size), 0) + coalesce(sum(resp_size), 0))::DOUBLE,
          quantile_cont(latency_us, [0.5, 0.9, 0.99])
        FROM (${this.#rows(condition, refined, 'c.error, c.latency_us, c.req_size, c.resp_size')})
        GROUP BY name ORDER BY ${byTime ? 'name' : 'calls DESC, name'} LIMIT ${limit}`),
      this.#handshakes(condition, refined),
    ])
    return rows.map(([name, calls, errors, bytes, latencies]) => {
      const [p50, p90, p99] = numbersOf(latencies)
      return {
        group: byTime ? new Date(Number(name) * this.#bucket).toISOString() : String(name),
        calls: Number(calls),
        errors: Number(errors),
        rate: Number(calls) / Math.max((byTime ? this.#bucket : this.#span) / 1000, 1),
        ...(p50 !== undefined && {
          latency_p50_ms: p50 / 1000,
          latency_p90_ms: p90 / 1000,
          latency_p99_ms: p99 / 1000,
        }),
        bytes: Number(bytes),
        ...handshakes.get(name),
      }
    })
  }

  /** Of the connections that carried the calls of each group, every connection once. */
  async #handshakes(
    condition: Condition,
    refined: string | undefined,
  ): Promise<ReadonlyMap<unknown, HandshakePercentiles>> {
    const { start, end } = this.#query
    const everything = start === undefined && end === undefined && condition(this.#chunks[0]) === 'true'
    const each =
      everything && this.#key.ofPeers
        ? this.#connections()
        : `SELECT name, any_value(handshake_us) AS handshake_us
           FROM (${this.#rows(condition, refined, 'c.flow, c.handshake_us', 'c.handshake_us IS NOT NULL')})
           GROUP BY name, flow`
    const rows = await this.#reading.engine.rows(
      `SELECT name, ${quantiles('handshake_us')} FROM (${each}) GROUP BY name`,
    )
    return new Map(rows.map(([name, list]) => [name, percentilesOf(list)]))
  }

  /** All connections, straight from the flows: the cheap way where nothing is left out. */
  #connections(): string {
    const { sql } = this.#key
    const each = this.#reading.chunks.map(({ database }, i) => {
      const flows = `(SELECT client AS src, server AS dst, client_port AS src_port, server_port AS dst_port, handshake_us
        FROM ${database}.flows WHERE ${handshakesOf(i)}) c`
      return `SELECT ${sql} AS name, c.handshake_us FROM ${withNames(flows, database, sql)}`
    })
    return each.join(' UNION ALL ')
  }

  /** The rows that count, with the group of each as `name`. */
  #rows(
    condition: Condition,
    refined: string | undefined,
    columns: string,
    ...more: readonly string[]
  ): string {
    const rows = this.#select(condition, `${this.#key.sql} AS name, ${columns}`, ...more)
    if (refined === undefined) return rows
    return `SELECT refined.name, rows.* EXCLUDE (name) FROM (${rows}) rows JOIN ${refined} refined ON refined.raw = rows.name`
  }

  #select(condition: Condition, list: string, ...more: readonly string[]): string {
    const each = this.#chunks.map((chunk) => {
      const where = [condition(chunk), ...windowSql(this.#query), ...more].join(' AND ')
      return `SELECT ${list} FROM ${callsWith(chunk.database, list, where)} WHERE ${where}`
    })
    return each.join(' UNION ALL ')
  }
}

function spanOf(chunks: readonly Chunk[], { start, end }: TimeWindow): number {
  const oldest = Math.min(...chunks.map(({ counts }) => counts.oldest)) / 1000
  const newest = Math.max(...chunks.map(({ counts }) => counts.newest)) / 1000
  return Math.min(end ?? newest, newest) - Math.max(start ?? oldest, oldest)
}
