/** What is to be made unreadable. An empty list is nothing. */
export interface RedactionRules {
  /** Names of headers, in any case; their values go. */
  readonly headers: readonly string[]
  /** Names of query and form parameters, in any case; their values go. */
  readonly query: readonly string[]
  /** Paths into JSON bodies: `user.password`, `items[*].card`, `**.token` at any depth. All below goes. */
  readonly json: readonly string[]
  /** Literals in SQL statements, and the parameters bound to them. */
  readonly sqlLiterals: boolean
  /** `card`, `bearer`, `jwt`: wherever they stand. */
  readonly detect: readonly ('card' | 'bearer' | 'jwt')[]
  /** Regular expressions in RE2's language; what matches goes, wherever it stands. */
  readonly patterns: readonly string[]
  /** All bodies, whatever is in them. */
  readonly bodies: boolean
  /** `mask`: values of credentials become short hashes. Absent: they stay. */
  readonly credentials?: 'mask' | 'keep'
}

/** Nothing is starred out. */
export const noRules: RedactionRules = {
  headers: [],
  query: [],
  json: [],
  sqlLiterals: false,
  detect: [],
  patterns: [],
  bodies: false,
}

/** A rule that cannot be followed. */
export class RuleError extends Error {
  override readonly name = 'RuleError'
}

/** Whether there is anything to star out. Credentials are no rule of their own. */
export function hasRules({
  headers,
  query,
  json,
  sqlLiterals,
  detect,
  patterns,
  bodies,
}: RedactionRules): boolean {
  const lists = [headers, query, json, detect, patterns]
  return sqlLiterals || bodies || lists.some((list) => list.length > 0)
}
