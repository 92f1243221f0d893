import { type Distribution, precisionFor } from '@tapdeck/questions'
import type { Connection, Value } from './connection.ts'
import { quote } from './quote.ts'

/**
 * The distribution of `value` for each `name` that `rows`, a query, selects. `sizes` has the wanted names and how many
 * values each has at most: small groups keep their values, those of large ones are rounded.
 */
export async function readDistributions(
  connection: Connection,
  rows: string,
  sizes: ReadonlyMap<Value, number>,
): Promise<ReadonlyMap<Value, Distribution>> {
  const found = new Map<Value, { values: [number, number][]; rounded?: true }>()
  if (sizes.size === 0) return found
  const { exact, bits } = precisionFor(sizes.size)
  const names = [...sizes.keys()]
  const large = names.filter((name) => (sizes.get(name) ?? 0) > exact)
  const listed = (list: readonly Value[]) =>
    list.map((name) => (typeof name === 'number' ? String(name) : quote(String(name)))).join(', ')
  const rounded =
    large.length === 0 ? 'value' : `if(name IN (${listed(large)}), ${roundSql('value', bits)}, value)`
  const counted = await connection.rows(`
    SELECT name, ${rounded} AS v, count() FROM (${rows})
    WHERE value IS NOT NULL AND name IN (${listed(names)}) GROUP BY name, v ORDER BY v`)
  const isLarge = new Set(large)
  for (const [name, value, count] of counted) {
    const known = found.get(name) ?? { values: [], ...(isLarge.has(name) && { rounded: true as const }) }
    known.values.push([Number(value), Number(count)])
    found.set(name, known)
  }
  return found
}

/** The middle of the values with the same leading bits: at most a part of 2^-bits / 2 away. */
export function roundSql(value: string, bits: number): string {
  const width = `pow(2, greatest(0, floor(log2(greatest(${value}, 1))) - ${bits}))`
  return `(floor(${value} / ${width}) * ${width} + (${width} - 1) / 2)`
}
