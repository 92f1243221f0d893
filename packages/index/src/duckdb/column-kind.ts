import type { TextColumn } from './text-column.ts'

/** What a column holds. Each kind has a value that stands for NULL, which says "absent" in the database. */
export type ColumnKind =
  /** Whole numbers up to 2^53; NaN is NULL. Doubles here: a bigint each would cost more than the rest of the row. */
  | 'int64'
  /** NaN is NULL. */
  | 'double'
  /** Number of a row in `words` or `endpoints`; 0 is NULL. */
  | 'reference'
  /** '' is NULL. */
  | 'text'
  /** Never NULL. */
  | 'int32'
  | 'uint16'
  | 'uint8'

export type Schema = Readonly<Record<string, ColumnKind>>

interface ColumnArrays {
  int64: Float64Array
  double: Float64Array
  reference: Int32Array
  text: TextColumn
  int32: Int32Array
  uint16: Uint16Array
  uint8: Uint8Array
}

export type Columns<S extends Schema> = { readonly [Name in keyof S]: ColumnArrays[S[Name]] }

export const sqlTypes: Readonly<Record<ColumnKind, string>> = {
  int64: 'BIGINT',
  double: 'DOUBLE',
  reference: 'INTEGER',
  text: 'VARCHAR',
  int32: 'INTEGER',
  uint16: 'USMALLINT',
  uint8: 'UTINYINT',
}
