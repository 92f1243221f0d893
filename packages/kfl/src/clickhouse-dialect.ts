import type { SqlDialect } from './sql-dialect.ts'

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\0': '\\0' }

export const clickhouseDialect: SqlDialect = {
  literal(value) {
    if (typeof value === 'boolean') return value ? 'true' : 'false'
    if (typeof value === 'string') return `'${value.replace(/[\\'\0]/g, (found) => ESCAPES[found] ?? found)}'`
    if (!Number.isFinite(value)) return undefined
    return Number.isSafeInteger(value) ? String(value) : `toFloat64(${value})`
  },
  contains: (text, part) => `(position(${text}, ${part}) > 0)`,
  startsWith: (text, part) => `startsWith(${text}, ${part})`,
  endsWith: (text, part) => `endsWith(${text}, ${part})`,
  // Without the flag, `.` matches line breaks here.
  matches: (text, pattern) => `match(${text}, concat('(?-s)', ${pattern}))`,
  matchesAll: (text, pattern) => `match(${text}, '^(?:${pattern})$')`,
  length: (text) => `lengthUTF8(${text})`,
  double: (value) => `toFloat64(${value})`,
  integer: (text) => `toInt64OrNull(${text})`,
  // An array cannot be NULL, so the text must not be.
  octet: (text, place) => `toInt32OrNull(splitByChar('.', assumeNotNull(${text}))[${place}])`,
}
