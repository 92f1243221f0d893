import { Malformed } from '@tapdeck/wire'
import type { CqlCursor } from './cql-cursor.ts'
import { type ColumnType, readType } from './type.ts'

const FLAG = { GLOBAL: 1, MORE_PAGES: 2, NONE: 4, CHANGED: 8 } as const
const MAX_COLUMNS = 4096

export interface Column {
  readonly name: string
  readonly type: ColumnType
}

/** What is said of the columns of rows, or of the values of a statement. */
export interface Metadata {
  readonly count: number
  readonly columns: readonly Column[]
  readonly keyspace?: string
  readonly table?: string
  readonly morePages: boolean
}

/** §4.2.5.2. */
export function readRowsMetadata(cursor: CqlCursor): Metadata {
  const flags = cursor.int()
  const count = countOf(cursor)
  const morePages = (flags & FLAG.MORE_PAGES) !== 0
  if (morePages) cursor.value()
  if (flags & FLAG.CHANGED) cursor.shortBytes()
  if (flags & FLAG.NONE) return { count, columns: [], morePages }
  return { count, morePages, ...readColumns(cursor, flags, count) }
}

/** §4.2.5.4: of the values, with the places of the partition key since version 4. */
function readValuesMetadata(cursor: CqlCursor, version: number): Metadata {
  const flags = cursor.int()
  const count = countOf(cursor)
  if (version >= 4) for (let keys = cursor.int(); keys > 0; keys--) cursor.short()
  return { count, morePages: false, ...readColumns(cursor, flags, count) }
}

function countOf(cursor: CqlCursor): number {
  const count = cursor.int()
  if (count < 0 || count > MAX_COLUMNS) throw new Malformed('too many columns')
  return count
}

function readColumns(
  cursor: CqlCursor,
  flags: number,
  count: number,
): Pick<Metadata, 'columns' | 'keyspace' | 'table'> {
  let place: { keyspace?: string; table?: string } = {}
  if (flags & FLAG.GLOBAL) place = { keyspace: cursor.string(), table: cursor.string() }
  const columns: Column[] = []
  for (let i = 0; i < count; i++) {
    if ((flags & FLAG.GLOBAL) === 0) {
      const own = { keyspace: cursor.string(), table: cursor.string() }
      if (i === 0) place = own
    }
    columns.push({ name: cursor.string(), type: readType(cursor) })
  }
  return { columns, ...place }
}

/** What the server said of a statement when it was prepared, after its id. */
export function readPrepared(cursor: CqlCursor, version: number): { values: Metadata; rows: Metadata } {
  if (version >= 5) cursor.shortBytes()
  const values = readValuesMetadata(cursor, version)
  return { values, rows: readRowsMetadata(cursor) }
}
