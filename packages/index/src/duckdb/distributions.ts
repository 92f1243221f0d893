import type { DuckDBValue } from '@duckdb/node-api'
import { type Distribution, precisionFor } from '../distribution.ts'
import { type Engine, quote } from './engine.ts'

/**
 * The distribution of `value` for each `name` that `rows`, a query, selects. `sizes` has the wanted names and how many
 * values each has at most: small groups keep their values, those of large ones are rounded. `unit`: how many of the
 * values' unit one unit of the answer has.
 */
export async function readDistributions(
  engine: Engine,
  rows: string,
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
  const counted = await engine.rows(`
    SELECT name, ${rounded} AS v, count(*)::DOUBLE FROM (${rows})
    WHERE value IS NOT NULL AND name IN (${listed(names)}) GROUP BY ALL ORDER BY v`)
  const isLarge = new Set(large)
  for (const [name, value, count] of counted) {
    const known = found.get(name) ?? { values: [], ...(isLarge.has(name) && { rounded: true as const }) }
    known.values.push([Number(value) / unit, Number(count)])
    found.set(name, known)
  }
  return found
}

/** The middle of the values with the same leading bits: at most a part of 2^-bits / 2 away. */
export function roundSql(value: string, bits: number): string {
  const width = `pow(2, greatest(0, floor(log2(greatest(${value}, 1))) - ${bits}))`
  return `floor(${value} / ${width}) * ${width} + (${width} - 1) / 2`
}

function literal(value: DuckDBValue): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : quote(String(value))
}
