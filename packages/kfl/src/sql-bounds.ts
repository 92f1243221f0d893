/**
 * A test in SQL, from both sides: rows that `lower` selects match, rows that `upper` leaves out do not. Where both are
 * the same text, the SQL is exact. Every bound is total: true or false, never NULL.
 */
export interface SqlBounds {
  readonly upper: string
  readonly lower: string
}

/** Nothing is known: any row may match, none must. */
export const UNKNOWN: SqlBounds = { upper: 'true', lower: 'false' }

export function exactly(sql: string): SqlBounds {
  return { upper: sql, lower: sql }
}

/** The superset of `not x` is made of the subset of x. */
export function negation(of: SqlBounds): SqlBounds {
  return { upper: not(of.lower), lower: not(of.upper) }
}

export function conjunction(parts: readonly SqlBounds[]): SqlBounds {
  return {
    upper: joined(
      parts.map((part) => part.upper),
      'AND',
    ),
    lower: joined(
      parts.map((part) => part.lower),
      'AND',
    ),
  }
}

export function disjunction(parts: readonly SqlBounds[]): SqlBounds {
  return {
    upper: joined(
      parts.map((part) => part.upper),
      'OR',
    ),
    lower: joined(
      parts.map((part) => part.lower),
      'OR',
    ),
  }
}

function not(sql: string): string {
  return sql === 'true' ? 'false' : sql === 'false' ? 'true' : `(NOT ${sql})`
}

function joined(parts: readonly string[], word: 'AND' | 'OR'): string {
  const neutral = word === 'AND' ? 'true' : 'false'
  const deciding = word === 'AND' ? 'false' : 'true'
  if (parts.includes(deciding)) return deciding
  const rest = [...new Set(parts)].filter((part) => part !== neutral)
  if (rest.length === 0) return neutral
  return rest.length === 1 ? rest[0] : `(${rest.join(` ${word} `)})`
}
