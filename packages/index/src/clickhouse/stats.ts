import { CallRecord, captureErrors, unfinished } from '@tapdeck/dissect'
import type { Filter, SqlColumns } from '@tapdeck/kfl'
import type { HandshakePercentiles, StatsGroup, StatsPage, StatsQuery } from '@tapdeck/questions'
import { figuresOfGroup } from '../figures-of-group.ts'
import { nameOfGroup, textOfGroup } from '../group-name.ts'
import { bucketOf } from '../time-bucket.ts'
import { filterSql } from './call-pages.ts'
import { callTimes, type Times } from './call-times.ts'
import { candidates, windowSql } from './candidates.ts'
import type { Value } from './connection.ts'
import { readDistributions, roundSql } from './distributions.ts'
import { type GroupKey, groupKey } from './group-key.ts'
import { discretePercentiles, numbersOf, percentilesOf } from './handshakes.ts'
import { quote } from './quote.ts'
import type { Reading } from './reading.ts'

/** Candidates that are read and checked, newest first, for one answer. */
const MAX_CHECKED = 50_000
/** Leading bits of latencies that a profile keeps: its percentiles are within 2 %. */
const PROFILE_BITS = 5

export async function callStats(
  reading: Reading,
  columns: SqlColumns,
  query: StatsQuery,
): Promise<StatsPage> {
  const { where, exact } = filterSql(query.filter, columns)
  const window = query.span ?? (await callTimes(reading))
  if (window === undefined) return { groups: [] }
  if (exact) return { groups: await new Stats(reading, query, where, window).groups() }
  const { condition, since } = await matching(reading, query.filter, where, query)
  // Rates are of the time that was looked at.
  const asked = since === undefined ? query : { ...query, start: since }
  const groups = await new Stats(reading, asked, condition, window).groups()
  return { groups, ...(since !== undefined && { counted_from_ts: since }) }
}

/** The calls that match a filter which needs more than columns, found by reading the candidates that SQL leaves. */
async function matching(
  reading: Reading,
  filter: Filter,
  where: string,
  { start, end }: StatsQuery,
): Promise<{ readonly condition: string; readonly since?: number }> {
  const found: string[] = []
  let checked = 0
  let oldest = 0
  const search = {
    where,
    order: 'newest' as const,
    batch: 512,
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
  }
  const condition = () =>
    found.length === 0 ? 'false' : `(c.node, c.flow, c.ordinal) IN (${found.join(', ')})`
  for await (const call of candidates(reading, search)) {
    if (checked++ === MAX_CHECKED) return { condition: condition(), since: oldest }
    const { ts, flow, ordinal } = call.position
    oldest = Math.floor(ts / 1000)
    if (filter.matches(new CallRecord(call))) found.push(`(${quote(call.node_id)}, ${flow}, ${ordinal})`)
  }
  return { condition: condition() }
}

/** One question for groups of calls. */
class Stats {
  readonly #reading: Reading
  readonly #query: StatsQuery
  readonly #where: string
  readonly #key: GroupKey
  /** Milliseconds of the window that has data, and of a time bucket in it. */
  readonly #span: number
  readonly #bucket: number

  constructor(reading: Reading, query: StatsQuery, where: string, { from, to }: Times) {
    const { start = from, end = to, buckets, limit, group_by } = query
    this.#reading = reading
    this.#query = query
    this.#where = where
    this.#span = Math.min(end, to) - Math.max(start, from)
    this.#bucket = bucketOf(this.#span, buckets ?? limit)
    this.#key = groupKey(group_by, this.#bucket)
  }

  get #latency(): string {
    return this.#query.waits ? 'coalesce(c.latency_us, c.waited_us)' : 'c.latency_us'
  }

  async groups(): Promise<readonly StatsGroup[]> {
    const { group_by, distributions, profile } = this.#query
    const byTime = group_by === 'time'
    const [rows, handshakes] = await Promise.all([
      this.#reading.connection.rows(this.#sql()),
      profile ? new Map<Value, HandshakePercentiles>() : this.#handshakes(),
    ])
    const carried = distributions ? await this.#distributions(rows) : undefined
    return rows.map(
      ([name, calls, errors, lost, req, resp, latencies, first, last, unanswered, waited, longest]) => {
        const percentiles = numbersOf(latencies).map((value) => Math.round(value * 1000) / 1e6)
        const span = byTime ? this.#bucket : this.#span
        return {
          ...(byTime
            ? { group: new Date(Number(name) * this.#bucket).toISOString() }
            : nameOfGroup(this.#key, String(name))),
          ...figuresOfGroup({ calls, errors, lost, percentiles, span }),
          bytes: Number(req) + Number(resp),
          ...(profile && {
            first_ts: Number(first) / 1000,
            last_ts: Number(last) / 1000,
            req_bytes: Number(req),
            resp_bytes: Number(resp),
            unanswered: Number(unanswered),
            waited_ms: Number(waited) / 1000,
            waited_max_ms: Number(longest) / 1000,
            percentiles_are: 'estimate' as const,
          }),
          ...handshakes.get(name),
          ...carried?.(name),
        }
      },
    )
  }

  /** Name, calls, errors, calls that the capture lost, bytes, latency percentiles, and what a profile has besides. */
  #sql(): string {
    const { group_by, limit, at_least = 0, only, profile } = this.#query
    const wanted = only
      ? [`name IN (${['NULL', ...only.map((one) => quote(textOfGroup(this.#key, one)))].join(', ')})`]
      : []
    const texts = (errors: readonly string[]) => errors.map(quote).join(', ')
    const latency = profile ? roundSql('latency', PROFILE_BITS) : 'latency'
    const percentiles = profile
      ? `quantilesExactWeightedIf(0.5, 0.9, 0.95, 0.99)(assumeNotNull(${latency}), 1, latency IS NOT NULL)`
      : `quantilesExactInclusiveIf(0.5, 0.9, 0.95, 0.99)(assumeNotNull(${latency}), latency IS NOT NULL)`
    // Calls that were open when the observation ended did not fail.
    const columns = `c.error AS reason, ${this.#latency} AS latency, c.waited_us AS waited, c.req_size AS req, c.resp_size AS resp, c.ts AS began`
    return `
      SELECT name, count() AS calls, countIf(reason IS NOT NULL AND reason != ${quote(unfinished)}),
        countIf(reason IN (${texts(captureErrors)})), sum(ifNull(req, 0)), sum(ifNull(resp, 0)),
        if(count(latency) = 0, [], ${percentiles}), min(began), max(began), countIf(reason = 'no_response'),
        ifNull(sum(waited), 0), ifNull(max(waited), 0)
      FROM (${this.#rows(columns)}) ${wanted.length === 0 ? '' : `WHERE ${wanted.join(' AND ')}`}
      GROUP BY name HAVING calls >= ${at_least} ORDER BY ${group_by === 'time' ? 'name' : 'calls DESC, name'} LIMIT ${limit}`
  }

  /** Of the connections that carried the calls of each group, every connection once. */
  async #handshakes(): Promise<ReadonlyMap<Value, HandshakePercentiles>> {
    const rows = await this.#reading.connection.rows(
      `SELECT name, ${discretePercentiles('assumeNotNull(value)')} FROM (${this.#handshakeRows()}) GROUP BY name`,
    )
    return new Map(rows.map(([name, list]) => [name, percentilesOf(list)]))
  }

  /** The latencies and handshakes of these groups, in microseconds. */
  async #distributions(
    groups: readonly (readonly Value[])[],
  ): Promise<(name: Value) => Pick<StatsGroup, 'latencies' | 'handshakes'>> {
    const { connection } = this.#reading
    const sizes = new Map(groups.map(([name, calls]) => [name, Number(calls)]))
    const [byLatency, byHandshake] = await Promise.all([
      readDistributions(connection, this.#rows(`${this.#latency} AS value`), sizes),
      readDistributions(connection, this.#handshakeRows(), sizes),
    ])
    return (name) => ({
      latencies: byLatency.get(name) ?? { values: [] },
      handshakes: byHandshake.get(name) ?? { values: [] },
    })
  }

  /** The handshake of each connection as `value`, with its group. */
  #handshakeRows(): string {
    const rows = this.#rows(
      'c.node AS of_node, c.flow AS of_flow, assumeNotNull(c.handshake_us) AS took',
      'c.handshake_us IS NOT NULL',
    )
    // A key of numbers only is hashed faster, and the rows of one node have one node.
    const ofNode = this.#reading.node === undefined ? ', of_node' : ''
    return `SELECT name, any(took) AS value FROM (${rows}) GROUP BY name, of_flow${ofNode}`
  }

  /** The rows that count, with the group of each as `name`. */
  #rows(columns: string, ...more: readonly string[]): string {
    const conditions = [this.#reading.ofNode(), this.#where, ...windowSql(this.#query), ...more]
    return `SELECT ${this.#key.sql} AS name, ${columns} FROM ${this.#reading.calls} AS c WHERE ${conditions.join(' AND ')}`
  }
}
