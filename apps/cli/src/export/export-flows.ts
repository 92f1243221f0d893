import type { HubClient } from '../hub/hub-client.ts'
import type { ExportedTable } from './export-calls.ts'
import { flowColumns, flowRow } from './flow-table.ts'

export interface FlowExport {
  readonly db: string | undefined
  readonly start: string | undefined
  readonly end: string
}

export interface ExportedFlows extends ExportedTable {
  /** Rows that the hub has. */
  readonly total: number
  readonly missingNodes: readonly string[]
}

/** The most that the hub returns. */
const MAX_FLOWS = 10_000

/** Writes one row for each client, server and server port; of more than `MAX_FLOWS`, those with the most bytes. */
export async function exportFlows(hub: HubClient, path: string, wanted: FlowExport): Promise<ExportedFlows> {
  const query = { ...wanted, limit: MAX_FLOWS, order: 'bytes' as const, format: 'raw' as const }
  const answer = await hub.call('list_l4_flows', query)
  const { ParquetFolder } = await import('@tapdeck/index')
  const table = await ParquetFolder.open(path, flowColumns)
  try {
    await table.append(answer.flows.map(flowRow))
    await table.finish()
  } catch (error) {
    await table.close()
    throw error
  }
  const { rows, bytes } = table
  return {
    ...{ folder: path, rows, bytes, truncated: answer.truncated },
    ...{ total: answer.total, missingNodes: (answer.missing_nodes ?? []).map(({ name }) => name) },
  }
}
