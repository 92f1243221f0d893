import {
  BIGINT,
  DOUBLE,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api'
import { ROWS } from './chunk-rows.ts'
import type { ColumnKind, Schema } from './column-kind.ts'
import { type FilledVector, fillVector, vectorToFill } from './fill-vector.ts'
import type { RowBatch } from './row-batch.ts'

const types: Readonly<Record<ColumnKind, DuckDBType>> = {
  int64: BIGINT,
  double: DOUBLE,
  reference: INTEGER,
  text: VARCHAR,
  int32: INTEGER,
  uint16: USMALLINT,
  uint8: UTINYINT,
}

/** Appends batches to one table. Nothing is seen or kept of them until `commit`. */
export class TableWriter<S extends Schema> {
  readonly #columns: readonly (readonly [name: string, kind: ColumnKind])[]
  readonly #appender: DuckDBAppender
  readonly #chunk: DuckDBDataChunk
  readonly #vectors: readonly FilledVector[]
  #rows = 0

  constructor(schema: S, appender: DuckDBAppender) {
    this.#columns = Object.entries(schema)
    this.#appender = appender
    const chunk = DuckDBDataChunk.create(
      Object.values(schema).map((kind) => types[kind]),
      ROWS,
    )
    this.#chunk = chunk
    this.#vectors = this.#columns.map((_, i) => vectorToFill(chunk.getColumnVector(i)))
  }

  static async open<S extends Schema>(
    connection: DuckDBConnection,
    database: string,
    table: string,
    schema: S,
  ): Promise<TableWriter<S>> {
    return new TableWriter(schema, await connection.createAppender(table, 'main', database))
  }

  /** Rows that wait for `commit`. */
  get rows(): number {
    return this.#rows
  }

  append(batch: RowBatch<S>): void {
    const chunk = this.#chunk
    chunk.reset()
    chunk.rowCount = batch.count
    for (const [i, [name, kind]] of this.#columns.entries())
      fillVector(this.#vectors[i], kind, batch.columns[name], batch.count)
    this.#appender.appendDataChunk(chunk)
    this.#rows += batch.count
  }

  /** What cannot be written now is kept, for another time. */
  commit(): void {
    if (this.#rows === 0) return
    this.#appender.flushSync()
    this.#rows = 0
  }

  /** Forgets what waits, and returns how many rows that were. */
  giveUp(): number {
    const rows = this.#rows
    if (rows > 0) this.#appender.clear()
    this.#rows = 0
    return rows
  }

  close(): void {
    this.#appender.closeSync()
  }
}
