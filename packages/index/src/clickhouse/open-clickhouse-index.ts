import type { Catalog } from '@tapdeck/kfl'
import type { CallIndex, IndexOptions } from '../call-index.ts'
import { ClickhouseIndex } from './clickhouse-index.ts'
import { type ClickhouseAddress, Connection } from './connection.ts'
import { ensureTables, type TableOptions, tablesOf } from './tables.ts'

/** `TableOptions` count where the tables are made. */
export interface ClickhouseOptions extends IndexOptions, TableOptions {
  readonly address: ClickhouseAddress
  /** What the names of its two tables begin with. */
  readonly name: string
  /** Bytes that may wait in memory while the server is away. */
  readonly maxQueuedBytes?: number
}

/** Opens an index in ClickHouse, making its tables where there are none. Throws `WrongSchema` on tables of another version. */
export async function openClickhouseIndex(options: ClickhouseOptions, catalog: Catalog): Promise<CallIndex> {
  const { address, name, maxQueuedBytes, readOnly = false } = options
  const connection = new Connection(address, options.memory)
  const tables = tablesOf(name)
  try {
    await ensureTables(connection, tables, { ...options, create: !readOnly })
  } catch (error) {
    await connection.close()
    throw error
  }
  return new ClickhouseIndex(options, catalog, connection, tables, maxQueuedBytes)
}
