import { CallRecord } from '@tapdeck/dissect'
import { type CatalogField, fieldValues, type SqlColumn, type SqlColumns } from '@tapdeck/kfl'
import type { ObservedValue, ValuesQuery } from '@tapdeck/questions'
import { byTime } from './by-time.ts'
import { filterSql } from './call-pages.ts'
import { candidates, windowSql } from './candidates.ts'
import { quote } from './quote.ts'
import type { Reading } from './reading.ts'

/** Rows that are looked through for values, newest first, where a column holds them; calls that are read where none does. */
const MAX_ROWS = 1_000_000
const MAX_READ = 2000
/** Longer texts are nothing to choose from. */
const LONGEST = 200

/** Recent values of a field, the most frequent first: suggestions for a filter. */
export async function observedValues(
  reading: Reading,
  columns: SqlColumns,
  query: ValuesQuery,
): Promise<readonly ObservedValue[]> {
  const { where, exact } = filterSql(query.filter, columns)
  const column = query.key === undefined ? columnOf(query.field, columns) : undefined
  const found =
    column && exact ? await fromColumn(reading, column, where, query) : await fromCalls(reading, where, query)
  return found
    .sort((a, b) => b.calls - a.calls || (String(a.value) < String(b.value) ? -1 : 1))
    .slice(0, query.limit)
}

function columnOf(field: CatalogField, columns: SqlColumns): SqlColumn | undefined {
  const { path, derive, members, entries, fallbacks, protocols } = field
  if (derive || members || entries || fallbacks || protocols || !Object.hasOwn(columns, path))
    return undefined
  return columns[path]
}

async function fromColumn(
  reading: Reading,
  { sql, kind }: SqlColumn,
  where: string,
  query: ValuesQuery,
): Promise<ObservedValue[]> {
  const { prefix, limit, at_least = 0, only } = query
  const conditions = [
    'value IS NOT NULL',
    `lengthUTF8(value) BETWEEN 1 AND ${LONGEST}`,
    ...(prefix === '' ? [] : [`positionCaseInsensitiveUTF8(value, ${quote(prefix)}) > 0`]),
    ...(only === undefined ? [] : [`value IN (${['NULL', ...only.map(quote)].join(', ')})`]),
  ]
  // A comparison is a number there, which as a text would be 0 or 1.
  const text =
    kind === 'boolean' ? `multiIf(${sql} IS NULL, NULL, ${sql}, 'true', 'false')` : `toString(${sql})`
  const newest = [reading.ofNode(), where, ...windowSql(query)].join(' AND ')
  const rows = await reading.connection.rows(`
    SELECT value, count() AS calls FROM (
      SELECT ${text} AS value FROM ${reading.calls} AS c WHERE ${newest} ORDER BY ${byTime('DESC')} LIMIT ${MAX_ROWS}
    ) WHERE ${conditions.join(' AND ')} GROUP BY value HAVING calls >= ${at_least} ORDER BY calls DESC, value LIMIT ${limit}`)
  return rows.map(([value, calls]) => ({
    value: kind === 'number' ? Number(value) : kind === 'boolean' ? value === 'true' : String(value),
    calls: Number(calls),
  }))
}

async function fromCalls(reading: Reading, where: string, query: ValuesQuery): Promise<ObservedValue[]> {
  const found = new Map<string | number | boolean, number>()
  const read = fieldValues(query.field, query.key)
  const typed = query.prefix.toLowerCase()
  const { at_least = 0, only } = query
  const wanted = only && new Set(only)
  let calls = 0
  for await (const call of candidates(reading, { ...query, where, order: 'newest', batch: 256 })) {
    if (calls++ === MAX_READ) break
    const record = new CallRecord(call)
    if (!query.filter.matches(record)) continue
    for (const value of new Set(read(record))) {
      const text = String(value)
      if (text === '' || text.length > LONGEST || !text.toLowerCase().includes(typed)) continue
      if (wanted?.has(text) ?? true) found.set(value, (found.get(value) ?? 0) + 1)
    }
  }
  return [...found].flatMap(([value, count]) => (count >= at_least ? [{ value, calls: count }] : []))
}
