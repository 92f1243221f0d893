import type { DuckDBValue } from '@duckdb/node-api'
import type { StatsGroup } from '@tapdeck/questions'
import { roundSql } from './distributions.ts'

/**
 * Queries over `rows`, a query for `name`, `error`, `lost`, `latency`, `req_size`, `resp_size`, `unanswered`, `waited` and `ts` of
 * each call: name, calls, errors, calls that the capture lost, bytes and latency percentiles of each group.
 */
export function exactSql(rows: string, where: string, having: string): string {
  return `
    SELECT name, count(*)::DOUBLE AS calls, count(error)::DOUBLE, count_if(lost)::DOUBLE,
      (coalesce(sum(req_size), 0) + coalesce(sum(resp_size), 0))::DOUBLE,
      quantile_cont(latency, [0.5, 0.9, 0.95, 0.99])
    FROM ${rows} ${where} GROUP BY name ${having}`
}

/** What only a profile has of a group: how it is counted, and how counts are added up. */
const PROFILE = {
  first: ['min(ts)', 'min(first)'],
  last: ['max(ts)', 'max(last)'],
  unanswered: ['count_if(unanswered)', 'sum(unanswered)'],
  waited: ['sum(waited)', 'sum(waited)'],
  longest: ['max(waited)', 'max(longest)'],
} as const

function profileColumns(step: 0 | 1): readonly string[] {
  return Object.entries(PROFILE).map(([name, sql]) => `${sql[step]} AS ${name}`)
}

/**
 * How many calls of each group had a latency, rounded to so many leading bits: this can be added up over parts of the rows,
 * and its memory depends on the number of groups, not on that of calls.
 */
export function countedSql(rows: string, where: string, bits: number, profile: boolean): string {
  const columns = [
    `name, ${roundSql('latency', bits)} AS v, count(*) AS n, count(error) AS errors, count_if(lost) AS lost`,
    'sum(req_size) AS req, sum(resp_size) AS resp',
    ...(profile ? profileColumns(0) : []),
  ]
  return `SELECT ${columns.join(', ')} FROM (${rows}) ${where} GROUP BY ALL`
}

/**
 * The same as `exactSql` out of what `countedSql` gave; of a profile with more columns, see `profileOf`. Percentiles are those of
 * rounded latencies. The result does not depend on the order in which threads read rows.
 */
export function sumsSql(counted: string, having: string, order: string, profile: boolean): string {
  const part = (share: number) => `min(v) FILTER (WHERE seen >= ${share} * answered)`
  const added = (columns: readonly string[]) => columns.map((column) => `, ${column}`).join('')
  const more = profile ? Object.keys(PROFILE) : []
  return `
    WITH counted AS (
      SELECT name, v, sum(n) AS n, sum(errors) AS errors, sum(lost) AS lost, sum(req) AS req, sum(resp) AS resp
        ${added(profile ? profileColumns(1) : [])}
      FROM ${counted} GROUP BY name, v
    ), summed AS (
      SELECT name, sum(n)::DOUBLE AS calls, sum(errors)::DOUBLE AS errors, sum(lost)::DOUBLE AS lost,
        coalesce(sum(req), 0)::DOUBLE AS req, coalesce(sum(resp), 0)::DOUBLE AS resp, sum(n) FILTER (WHERE v IS NOT NULL) AS answered
        ${added(profile ? profileColumns(1) : [])}
      FROM counted GROUP BY name ${having}
    ), quantiles AS (
      SELECT name, [${part(0.5)}, ${part(0.9)}, ${part(0.95)}, ${part(0.99)}] AS list FROM (
        SELECT name, v, answered, sum(n) OVER (PARTITION BY name ORDER BY v) AS seen
        FROM counted JOIN summed USING (name) WHERE v IS NOT NULL
      ) GROUP BY name
    )
    SELECT name, calls, errors, lost, req + resp, coalesce(list, [])${added(profile ? ['req', 'resp', ...more] : [])}
    FROM summed LEFT JOIN quantiles USING (name) ORDER BY ${order}`
}

/** The columns of a profile after the percentiles. */
export function profileOf(columns: readonly DuckDBValue[]): Partial<StatsGroup> {
  const [req_bytes = 0, resp_bytes = 0, first = 0, last = 0, unanswered = 0, waited = 0, longest = 0] =
    columns.map(Number)
  return {
    first_ts: first / 1000,
    last_ts: last / 1000,
    req_bytes,
    resp_bytes,
    unanswered,
    waited_ms: waited / 1000,
    waited_max_ms: longest / 1000,
    percentiles_are: 'estimate',
  }
}
