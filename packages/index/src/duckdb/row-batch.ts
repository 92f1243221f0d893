import { ROWS } from './chunk-rows.ts'
import type { ColumnKind, Columns, Schema } from './column-kind.ts'
import { TextColumn } from './text-column.ts'

const makers: { readonly [Kind in ColumnKind]: () => Columns<{ column: Kind }>['column'] } = {
  int64: () => new Float64Array(ROWS),
  double: () => new Float64Array(ROWS),
  reference: () => new Int32Array(ROWS),
  text: () => new TextColumn(),
  int32: () => new Int32Array(ROWS),
  uint16: () => new Uint16Array(ROWS),
  uint8: () => new Uint8Array(ROWS),
}

/**
 * Up to `ROWS` rows in columns, before they go to the database. Writers set `columns.x[count]`, or
 * `columns.x.set(count, text)`, and then `count`.
 */
export class RowBatch<S extends Schema> {
  readonly columns: Columns<S>
  count = 0

  constructor(schema: S, columns = columnsOf(schema)) {
    this.columns = columns
  }

  get full(): boolean {
    return this.count === ROWS
  }

  get empty(): boolean {
    return this.count === 0
  }
}

function columnsOf<S extends Schema>(schema: S): Columns<S> {
  const columns: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(schema)) columns[name] = makers[kind]()
  return columns as Columns<S>
}
