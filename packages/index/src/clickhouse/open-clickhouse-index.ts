import type { Catalog } from '@tapdeck/kfl'
import type { IndexOptions } from '../call-index.ts'
import { ClickhouseFailure } from './clickhouse-failure.ts'
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
  readonly maxInsertRows?: number
  /** Whether missing tables are made; default: unless it is opened for reading only. */
  readonly createTables?: boolean
  /** A server that does not answer yet is no error: it is looked for again at the next question or flush. */
  readonly mayBeAway?: boolean
  /** The calls of all nodes are read, not only those of `node`; and from when on each node has packets, in Unix milliseconds. */
  readonly allNodes?: { packetsSince(): ReadonlyMap<string, number> }
}

/** Opens an index in ClickHouse, making its tables where there are none. Throws `WrongSchema` on tables of another version. */
export async function openClickhouseIndex(
  options: ClickhouseOptions,
  catalog: Catalog,
): Promise<ClickhouseIndex> {
  const { address, name, readOnly = false, createTables = !readOnly } = options
  const connection = new Connection(address, options.memory)
  const tables = tablesOf(name)
  const index = new ClickhouseIndex(options, catalog, connection, tables, () =>
    ensureTables(connection, tables, { ...options, create: createTables }),
  )
  try {
    await index.ready()
  } catch (error) {
    if (options.mayBeAway && error instanceof ClickhouseFailure) return index
    await connection.close()
    throw error
  }
  return index
}
