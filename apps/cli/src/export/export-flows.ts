import type { ParquetColumns, ParquetFolder } from '@tapdeck/index'
import type { HubClient } from '../hub/hub-client.ts'
import type { ExportedTable } from './export-calls.ts'
import { flowRow } from './flow-table.ts'

export interface FlowExport {
  readonly db: string | undefined
  readonly start: string | undefined
  readonly end: string
  readonly maxFlows: number
  /** Called after each page. */
  readonly progress: (rows: number) => void
}

export interface ExportedFlows extends ExportedTable {
  /** Rows that the hub has. */
  readonly total: number
  readonly missingNodes: readonly string[]
}

/** The most that the hub returns at once. */
const PAGE = 10_000

/** Writes one row for each client, server and server port, in the order of these. Each row is of the time at which its page was read. */
export async function exportFlows(
  hub: HubClient,
  table: ParquetFolder<ParquetColumns>,
  wanted: FlowExport,
): Promise<ExportedFlows> {
  const { db, start, end, maxFlows } = wanted
  const missing = new Set<string>()
  let total: number | undefined
  let cursor: string | undefined
  do {
    const limit = Math.min(PAGE, maxFlows - table.rows)
    const query = { db, start, end, limit, cursor, order: 'key' as const, format: 'raw' as const }
    const page = await hub.call('list_l4_flows', query)
    // A later page counts only what is left.
    total ??= page.total
    await table.append(page.flows.map(flowRow))
    for (const { name } of page.missing_nodes ?? []) missing.add(name)
    cursor = page.next_cursor ?? undefined
    wanted.progress(table.rows)
  } while (cursor !== undefined && table.rows < maxFlows)
  await table.finish()
  const { path, rows, bytes } = table
  return {
    ...{ folder: path, rows, bytes, truncated: cursor !== undefined },
    ...{ total: cursor === undefined ? rows : Math.max(total, rows), missingNodes: [...missing] },
  }
}
