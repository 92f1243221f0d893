import type { SqlDialect } from './sql-dialect.ts'

export const duckdbDialect: SqlDialect = {
  literal(value) {
    if (typeof value === 'boolean') return value ? 'true' : 'false'
    if (typeof value === 'string')
      return value.includes('\0') ? undefined : `'${value.replaceAll("'", "''")}'`
    if (!Number.isFinite(value)) return undefined
    // A fraction would be read as DECIMAL, whose way to DOUBLE may round twice.
    return Number.isSafeInteger(value) ? String(value) : `CAST('${value}' AS DOUBLE)`
  },
  contains: (text, part) => `contains(${text}, ${part})`,
  startsWith: (text, part) => `starts_with(${text}, ${part})`,
  endsWith: (text, part) => `ends_with(${text}, ${part})`,
  matches: (text, pattern) => `regexp_matches(${text}, ${pattern})`,
  matchesAll: (text, pattern) => `regexp_full_match(${text}, '${pattern}')`,
  length: (text) => `length(${text})`,
  double: (value) => `CAST(${value} AS DOUBLE)`,
  integer: (text) => `CAST(${text} AS BIGINT)`,
  octet: (text, place) => `TRY_CAST(split_part(${text}, '.', ${place}) AS INTEGER)`,
}
