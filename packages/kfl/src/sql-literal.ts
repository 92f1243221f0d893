import type { Scalar } from './typed-node.ts'

/** A constant as DuckDB reads it back exactly; undefined where no literal can hold it. */
export function sqlLiteral(value: Scalar): string | undefined {
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'string') return value.includes('\0') ? undefined : `'${value.replaceAll("'", "''")}'`
  if (!Number.isFinite(value)) return undefined
  // A fraction would be read as DECIMAL, whose way to DOUBLE may round twice.
  return Number.isSafeInteger(value) ? String(value) : `CAST('${value}' AS DOUBLE)`
}
