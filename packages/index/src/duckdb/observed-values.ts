import { CallRecord } from '@tapdeck/dissect'
import { type CatalogField, fieldValues, type SqlColumn, type SqlColumns, toSql } from '@tapdeck/kfl'
import type { ObservedValue, ValuesQuery } from '@tapdeck/questions'
import { callsWith } from './call-columns.ts'
import { candidates, overlaps, type Reading, windowSql } from './candidates.ts'
import { quote } from './engine.ts'

/** Rows that are looked through for values, newest first, where a column holds them; calls that are read where none does. */
const MAX_ROWS = 1_000_000
const MAX_READ = 2000
/** Values that each of several chunks is asked for: the first of one need not be the first of all. */
const MAX_OF_EACH = 10_000
/** Longer texts are nothing to choose from. */
const LONGEST = 200

/** Recent values of a field, the most frequent first: suggestions for a filter. */
export async function observedValues(
  reading: Reading,
  columns: SqlColumns,
  query: ValuesQuery,
): Promise<readonly ObservedValue[]> {
  const { where, exact } = toSql(query.filter, columns)
  const column = query.key === undefined ? columnOf(query.field, columns) : undefined
  const found =
    column && exact ? await fromColumn(reading, column, where, query) : await fromCalls(reading, where, query)
  const { at_least = 0, only } = query
  const wanted = only && new Set(only)
  return [...found]
    .map(([value, calls]) => ({ value, calls }))
    .filter(({ value, calls }) => calls >= at_least && (wanted?.has(String(value)) ?? true))
    .sort((a, b) => b.calls - a.calls || (String(a.value) < String(b.value) ? -1 : 1))
    .slice(0, query.limit)
}

function columnOf(field: CatalogField, columns: SqlColumns): SqlColumn | undefined {
  const { path, derive, members, entries, fallbacks, protocols } = field
  if (derive || members || entries || fallbacks || protocols || !Object.hasOwn(columns, path))
    return undefined
  return columns[path]
}

type Found = Map<string | number | boolean, number>

async function fromColumn(
  { engine, chunks }: Reading,
  { sql, kind }: SqlColumn,
  where: string,
  query: ValuesQuery,
): Promise<Found> {
  const found: Found = new Map()
  const text = `(${sql})::VARCHAR`
  const most = chunks.length > 1 || query.only ? Math.max(query.limit, MAX_OF_EACH) : query.limit
  let rows = 0
  for (const { database, counts } of chunks.toReversed()) {
    if (rows >= MAX_ROWS) break
    if (counts.calls === 0 || !overlaps(counts.oldest, counts.newest, query)) continue
    rows += counts.calls
    const conditions = [
      where,
      ...windowSql(query),
      `length(${text}) BETWEEN 1 AND ${LONGEST}`,
      ...(query.prefix === '' ? [] : [`contains(lower(${text}), lower(${quote(query.prefix)}))`]),
    ]
    const answer = await engine.rows(`
      SELECT ${text} AS value, count(*)::DOUBLE FROM ${callsWith(database, where, sql)}
      WHERE ${conditions.join(' AND ')} GROUP BY value ORDER BY 2 DESC, value LIMIT ${most}`)
    for (const [value, calls] of answer) {
      const known = kind === 'number' ? Number(value) : kind === 'boolean' ? value === 'true' : String(value)
      found.set(known, (found.get(known) ?? 0) + Number(calls))
    }
  }
  return found
}

async function fromCalls(reading: Reading, where: string, query: ValuesQuery): Promise<Found> {
  const found: Found = new Map()
  const read = fieldValues(query.field, query.key)
  const typed = query.prefix.toLowerCase()
  let calls = 0
  for await (const { call } of candidates(reading, { ...query, where, order: 'newest', batch: 256 })) {
    if (calls++ === MAX_READ) break
    const record = new CallRecord(call)
    if (!query.filter.matches(record)) continue
    for (const value of new Set(read(record))) {
      const text = String(value)
      if (text === '' || text.length > LONGEST || !text.toLowerCase().includes(typed)) continue
      found.set(value, (found.get(value) ?? 0) + 1)
    }
  }
  return found
}
