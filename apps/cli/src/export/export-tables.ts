import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ParquetColumns, ParquetFolder } from '@tapdeck/index'
import { lockFolder } from '@tapdeck/recording'
import { CommandFailed } from '../command-failed.ts'
import type { HubClient } from '../hub/hub-client.ts'
import { callColumns, payloadColumns } from './call-table.ts'
import { type CallExport, type ExportedCalls, exportCalls } from './export-calls.ts'
import { type ExportedFlows, exportFlows, type FlowExport } from './export-flows.ts'
import { flowColumns } from './flow-table.ts'

export interface TableExport {
  /** Where the folders `calls` and `flows` are to be. */
  readonly folder: string
  readonly calls: CallExport | undefined
  readonly flows: FlowExport | undefined
  /** Ends the export; tables that are not complete are removed. */
  readonly signal: AbortSignal
  /** A line for the user. */
  note(line: string): void
}

export interface ExportedTables {
  readonly calls: ExportedCalls | undefined
  readonly flows: ExportedFlows | undefined
}

/** Writes the tables one after another. All folders are opened first: what cannot be replaced is refused before hours of reading. */
export async function exportTables(hub: HubClient, wanted: TableExport): Promise<ExportedTables> {
  const { folder, signal, note } = wanted
  const client = hub.until(signal)
  const release = await lock(folder, note)
  // The database engine is large, and only loaded for this.
  const { NotWritable, ParquetFolder } = await import('@tapdeck/index')
  const opened: ParquetFolder<ParquetColumns>[] = []
  const open = async (name: string, columns: ParquetColumns) => {
    const table = await ParquetFolder.open(join(folder, name), columns)
    opened.push(table)
    for (const line of table.notes) note(line)
    return table
  }
  try {
    const calls = wanted.calls && {
      wanted: wanted.calls,
      table: await open('calls', wanted.calls.payloads ? payloadColumns : callColumns),
    }
    const flows = wanted.flows && { wanted: wanted.flows, table: await open('flows', flowColumns) }
    return {
      calls: calls && (await exportCalls(client, calls.table, calls.wanted)),
      flows: flows && (await exportFlows(client, flows.table, flows.wanted)),
    }
  } catch (error) {
    if (signal.aborted) throw new CommandFailed('stopped. The table that was not complete is removed.')
    if (error instanceof NotWritable) throw new CommandFailed(error.message)
    throw error
  } finally {
    for (const table of opened) await table.close()
    release()
  }
}

/** One export at a time writes into a folder. */
async function lock(folder: string, note: (line: string) => void): Promise<() => void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return lockFolder(folder, 'export', { note, patienceMs: 0 }).catch((error: Error) => {
    throw new CommandFailed(error.message)
  })
}
