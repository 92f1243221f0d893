import type { DuckDBValue } from '@duckdb/node-api'
import type { StatsGroup } from '../call-index.ts'
import { roundSql } from './distributions.ts'

/** Leading bits of latencies that a profile keeps: its percentiles are within 2 %. */
const PROFILE_BITS = 5

/**
 * Queries over `rows`, a query for `name`, `error`, `lost`, `latency`, `req_size`, `resp_size`, `unanswered`, `waited` and `ts` of
 * each call: name, calls, errors, calls that the capture lost, bytes and latency percentiles of each group.
 */
export function exactSql(rows: string, where: string, order: string): string {
  return `
    SELECT name, count(*)::DOUBLE AS calls, count(error)::DOUBLE, count_if(lost)::DOUBLE,
      (coalesce(sum(req_size), 0) + coalesce(sum(resp_size), 0))::DOUBLE,
      quantile_cont(latency, [0.5, 0.9, 0.95, 0.99])
    FROM (${rows}) ${where} GROUP BY name ${order}`
}

/**
 * The same with more columns, see `profileOf`. Latencies are rounded and counted before percentiles are taken: memory is
 * bounded by the number of groups. The result does not depend on the order in which threads read rows.
 */
export function profileSql(rows: string, where: string, order: string): string {
  const part = (share: number) => `min(v) FILTER (WHERE seen >= ${share} * answered)`
  return `
    WITH counted AS (
      SELECT name, ${roundSql('latency', PROFILE_BITS)} AS v, count(*) AS n, count(error) AS errors, count_if(lost) AS lost,
        sum(req_size) AS req, sum(resp_size) AS resp, min(ts) AS first, max(ts) AS last, count_if(unanswered) AS unanswered,
        sum(waited) AS waited, max(waited) AS longest
      FROM (${rows}) ${where} GROUP BY ALL
    ), summed AS (
      SELECT name, sum(n)::DOUBLE AS calls, sum(errors)::DOUBLE AS errors, sum(lost)::DOUBLE AS lost,
        coalesce(sum(req), 0)::DOUBLE AS req, coalesce(sum(resp), 0)::DOUBLE AS resp, min(first) AS first, max(last) AS last,
        sum(unanswered)::DOUBLE AS unanswered, coalesce(sum(waited), 0) AS waited, coalesce(max(longest), 0) AS longest, sum(n) FILTER (WHERE v IS NOT NULL) AS answered
      FROM counted GROUP BY name ${order}
    ), quantiles AS (
      SELECT name, [${part(0.5)}, ${part(0.9)}, ${part(0.95)}, ${part(0.99)}] AS list FROM (
        SELECT name, v, answered, sum(n) OVER (PARTITION BY name ORDER BY v) AS seen
        FROM counted JOIN summed USING (name) WHERE v IS NOT NULL
      ) GROUP BY name
    )
    SELECT name, calls, errors, lost, req + resp, coalesce(list, []), req, resp, first, last, unanswered, waited, longest
    FROM summed LEFT JOIN quantiles USING (name) ORDER BY calls DESC, name`
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
