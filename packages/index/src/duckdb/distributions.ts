import type { DuckDBValue } from '@duckdb/node-api'
import { type Distribution, precisionFor } from '@tapdeck/questions'
import type { Chunk } from './chunk.ts'
import { collected, type OverChunks } from './collect.ts'
import { type Engine, quote } from './engine.ts'

/**
 * The distribution of `value` for each `name` that `rows` selects. `sizes` has the wanted names and how many
 * values each has at most: small groups keep their values, those of large ones are rounded. `unit`: how many of the
 * values' unit one unit of the answer has.
 */
export async function readDistributions(
  engine: Engine,
  groups: readonly (readonly Chunk[])[],
  rows: OverChunks,
  sizes: ReadonlyMap<DuckDBValue, number>,
  unit = 1,
): Promise<ReadonlyMap<DuckDBValue, Distribution>> {
  const found = new Map<DuckDBValue, { values: [number, number][]; rounded?: true }>()
  if (sizes.size === 0) return found
  const { exact, bits } = precisionFor(sizes.size)
  const names = [...sizes.keys()]
  const large = names.filter((name) => sizes.get(name)! > exact)
  const listed = (list: readonly DuckDBValue[]) => list.map(literal).join(', ')
  const rounded =
    large.length === 0
      ? 'value'
      : `CASE WHEN name IN (${listed(large)}) THEN ${roundSql('value', bits)} ELSE value END`
  const counts: OverChunks = (chunks) => `
    SELECT name, ${rounded} AS v, count(*) AS n FROM (${rows(chunks)})
    WHERE value IS NOT NULL AND name IN (${listed(names)}) GROUP BY ALL`
  const counted = await collected(engine, groups, counts, (all) =>
    engine.rows(`SELECT name, v, sum(n)::DOUBLE FROM ${all} GROUP BY ALL ORDER BY v`),
  )
  const isLarge = new Set(large)
  for (const [name, value, count] of counted) {
    const known = found.get(name) ?? { values: [], ...(isLarge.has(name) && { rounded: true as const }) }
    known.values.push([Number(value) / unit, Number(count)])
    found.set(name, known)
  }
  return found
}

/**
 * The name of each group and the values at these parts of 1 as a list, of rows with `name`, `v` and how often it occurred, `n`. Each
 * is a value that occurred, like `quantile_disc`.
 */
export function quantilesOfCounts(counts: string, shares: readonly number[]): string {
  const values = shares.map((share) => `min(v) FILTER (WHERE seen >= ${share} * total)`)
  return `
    SELECT name, [${values.join(', ')}] FROM (
      SELECT name, v, sum(n) OVER (PARTITION BY name ORDER BY v) AS seen, sum(n) OVER (PARTITION BY name) AS total
      FROM (SELECT name, v, sum(n) AS n FROM ${counts} WHERE v IS NOT NULL GROUP BY ALL)
    ) GROUP BY name`
}

/** The middle of the values with the same leading bits: at most a part of 2^-bits / 2 away. */
export function roundSql(value: string, bits: number): string {
  const width = `pow(2, greatest(0, floor(log2(greatest(${value}, 1))) - ${bits}))`
  return `floor(${value} / ${width}) * ${width} + (${width} - 1) / 2`
}

function literal(value: DuckDBValue): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : quote(String(value))
}
