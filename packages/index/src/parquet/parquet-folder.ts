import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, DuckDBTimestampTZValue } from '@duckdb/node-api'
import { FolderSwap } from './folder-swap.ts'
import { NotWritable } from './not-writable.ts'

type ParquetType = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMPTZ'
export type ParquetColumns = Readonly<Record<string, ParquetType>>

/** A value of a row: a time is Unix milliseconds; absent is NULL. */
type ParquetValue = string | number | boolean | undefined
export type ParquetRow<Columns extends ParquetColumns> = {
  readonly [Name in keyof Columns]?: ParquetValue
}

/** A part is in memory until it is written. */
const ROWS_A_PART = 500_000
const TEXT_A_PART = 64 * 1024 * 1024
const MEMORY = '512MB'
/**
 * What all readers read. Not all know the encodings of version 2. Some versions of ClickHouse (26.3) find too few rows by the Bloom
 * filters of DuckDB, without an error: https://github.com/chdb-io/chdb/issues/587.
 */
const FORMAT = 'FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v1, WRITE_BLOOM_FILTER false'

/**
 * Writes a table as a folder of Parquet files, `part-00001.parquet` and so on. The folder gets its name when all parts are
 * whole. Captured data is private: only the owner may read it.
 */
export class ParquetFolder<Columns extends ParquetColumns> {
  readonly path: string
  readonly #swap: FolderSwap
  readonly #columns: Columns
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  #isOpen = true
  #waiting: ParquetRow<Columns>[] = []
  #waitingText = 0
  #rows = 0
  #parts = 0
  #bytes = 0

  private constructor(
    path: string,
    swap: FolderSwap,
    columns: Columns,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
  ) {
    this.path = path
    this.#swap = swap
    this.#columns = columns
    this.#instance = instance
    this.#connection = connection
  }

  /** Rejects with `NotWritable` if the folder holds anything but a table. One process at a time may write a folder. */
  static async open<Columns extends ParquetColumns>(
    path: string,
    columns: Columns,
  ): Promise<ParquetFolder<Columns>> {
    // DuckDB reads a leading `~`, `s3:` and the like differently than the file system.
    const swap = await FolderSwap.open(resolve(path))
    const instance = await DuckDBInstance.create(':memory:', {
      // One thread writes the rows in their order.
      threads: '1',
      memory_limit: MEMORY,
      temp_directory: '',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    return new ParquetFolder(path, swap, columns, instance, await instance.connect())
  }

  /** What an interrupted export left here, and what became of it. */
  get notes(): readonly string[] {
    return this.#swap.notes
  }

  get rows(): number {
    return this.#rows
  }

  /** Bytes of all parts that are written. */
  get bytes(): number {
    return this.#bytes
  }

  async append(rows: Iterable<ParquetRow<Columns>>): Promise<void> {
    for (const row of rows) {
      this.#waiting.push(row)
      this.#rows++
      for (const value of Object.values(row)) if (typeof value === 'string') this.#waitingText += value.length
      if (this.#waiting.length >= ROWS_A_PART || this.#waitingText >= TEXT_A_PART) await this.#write()
    }
  }

  /** Writes the last part and gives the folder its name; an older folder of this name is replaced. */
  async finish(): Promise<void> {
    // A table without rows has one part, which tells its columns.
    if (this.#waiting.length > 0 || this.#parts === 0) await this.#write()
    await this.#swap.commit()
    await this.close()
  }

  /** Without `finish` before, nothing is left of it. */
  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#connection.closeSync()
    this.#instance.closeSync()
    await this.#swap.rollback()
  }

  async #write(): Promise<void> {
    const path = this.#swap.part(++this.#parts)
    const columns = Object.entries(this.#columns)
    const list = columns.map(([column, type]) => `"${column}" ${type}`)
    await this.#connection.run(`CREATE OR REPLACE TABLE part (${list.join(', ')})`)
    const appender = await this.#connection.createAppender('part')
    for (const row of this.#waiting) {
      for (const [column, type] of columns) {
        const value = databaseValue(row[column], type)
        if (value === null) appender.appendNull()
        else appender.appendValue(value)
      }
      appender.endRow()
    }
    appender.closeSync()
    this.#waiting = []
    this.#waitingText = 0
    await this.#connection
      .run(`COPY part TO '${path.replaceAll("'", "''")}' (${FORMAT})`)
      .catch((error: Error) => {
        throw new NotWritable(`Cannot write ${path}: ${error.message}`, { cause: error })
      })
    await this.#connection.run('DROP TABLE part')
    const file = await open(path, 'r+')
    try {
      await file.chmod(0o600)
      // The old table is removed later, and must not be gone in a power cut that this one does not survive.
      await file.sync()
      this.#bytes += (await file.stat()).size
    } finally {
      await file.close()
    }
  }
}

function databaseValue(value: ParquetValue, type: ParquetType) {
  if (value === undefined || (type !== 'VARCHAR' && type !== 'BOOLEAN' && !Number.isFinite(value)))
    return null
  switch (type) {
    case 'VARCHAR':
      return String(value)
    case 'BOOLEAN':
      return value === true
    case 'DOUBLE':
      return Number(value)
    case 'BIGINT':
      return BigInt(Math.round(Number(value)))
    case 'TIMESTAMPTZ':
      return new DuckDBTimestampTZValue(BigInt(Math.round(Number(value) * 1000)))
  }
}
