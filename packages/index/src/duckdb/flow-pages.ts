import type { DuckDBValue } from '@duckdb/node-api'
import type { FlowPage, FlowQuery, FlowRow } from '@tapdeck/questions'
import { flowRow, KEY, MAX_HASHES } from '../flow-view.ts'
import type { Chunk } from './chunk.ts'
import { collected, groupsOf, type OverChunks } from './collect.ts'
import { quantilesOfCounts, readDistributions } from './distributions.ts'
import type { Engine } from './engine.ts'
import { FlowSql, type LatestFlows, listed } from './flow-sql.ts'
import { percentilesOf, quantiles, SHARES } from './handshakes.ts'

/** A flow that a statement sorts takes as much memory as so many values of percentiles. */
const VALUES_A_FLOW = 16

function flowsOf({ counts }: Chunk): number {
  return counts.flows + counts.carried
}

/** Who talked to whom. */
export async function flowPage(
  engine: Engine,
  chunks: readonly Chunk[],
  latest: LatestFlows | undefined,
  query: FlowQuery,
): Promise<FlowPage> {
  // Flows go over into a chunk that has just begun with its first rows, which may come between two groups of chunks.
  const known = chunks.filter((chunk) => flowsOf(chunk) > 0)
  if (known.length === 0) return { flows: [], total: 0 }
  const groups = groupsOf(engine, known, flowsOf, engine.mostValues / VALUES_A_FLOW)
  const sql = new FlowSql(known, latest, query)
  const rows =
    groups.length === 1
      ? await engine.rows(sql.page(`(${sql.named(known)})`, quantiles('handshake_us')))
      : await collected(
          engine,
          groups,
          (some) => sql.added(some),
          (all) => engine.rows(sql.page(all, '[]')),
        )
  const percentiles = groups.length === 1 ? undefined : await percentilesOfRows(engine, groups, sql, rows)
  const page = {
    flows: rows.map((row) => flowRow(row, percentilesOf(percentiles ? percentiles.get(row[KEY]) : row[22]))),
    total: rows.length === 0 ? 0 : Number(rows[0]![0]),
  }
  const flows = query.distributions ? await withHandshakes(engine, groups, sql, rows, page.flows) : page.flows
  if (!query.hashes) return { ...page, flows }
  const hashes = await collected(
    engine,
    groups,
    (some) => sql.hashes(some),
    (all) => engine.rows(`SELECT DISTINCT hash FROM ${all} LIMIT ${MAX_HASHES + 1}`),
  )
  return {
    ...page,
    flows,
    ...(hashes.length <= MAX_HASHES && { hashes: hashes.map(([hash]) => Number(hash)) }),
  }
}

/** The percentiles of the handshakes of these rows, by their keys. */
async function percentilesOfRows(
  engine: Engine,
  groups: readonly (readonly Chunk[])[],
  sql: FlowSql,
  rows: readonly (readonly DuckDBValue[])[],
): Promise<ReadonlyMap<DuckDBValue, DuckDBValue>> {
  const keys = listed(rows.map((row) => String(row[KEY])))
  const counts: OverChunks = (some) => `
    SELECT name, round(value) AS v, count(*) AS n FROM (${sql.handshakes(some)}) WHERE name IN (${keys}) GROUP BY ALL`
  const found = await collected(engine, groups, counts, (all) => engine.rows(quantilesOfCounts(all, SHARES)))
  return new Map(found.map(([name, list]) => [name!, list!]))
}

async function withHandshakes(
  engine: Engine,
  groups: readonly (readonly Chunk[])[],
  sql: FlowSql,
  rows: readonly (readonly DuckDBValue[])[],
  flows: readonly FlowRow[],
): Promise<readonly FlowRow[]> {
  const keys = rows.map((row) => row[KEY]!)
  const sizes = new Map(keys.map((key, i) => [key, flows[i]!.flows]))
  const found = await readDistributions(engine, groups, (some) => sql.handshakes(some), sizes)
  return flows.map((flow, i) => ({ ...flow, handshakes: found.get(keys[i]!) ?? { values: [] } }))
}
