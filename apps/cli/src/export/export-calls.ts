import type { OperationOutput } from '@tapdeck/api'
import type { ParquetColumns, ParquetFolder, ParquetRow } from '@tapdeck/index'
import type { HubClient } from '../hub/hub-client.ts'
import { callRow, payloadRow } from './call-table.ts'

type Page = OperationOutput<'list_api_calls'>

export interface ExportedTable {
  readonly folder: string
  readonly rows: number
  readonly bytes: number
  /** There are more rows than were written. */
  readonly truncated: boolean
}

export interface ExportedCalls extends ExportedTable {
  readonly missingNodes: readonly string[]
  readonly incomplete: NonNullable<Page['incomplete']>
  readonly whyEmpty: Page['why_empty']
}

export interface CallExport {
  readonly db: string | undefined
  readonly kfl: string | undefined
  readonly start: string | undefined
  readonly end: string
  readonly payloads: boolean
  readonly maxCalls: number
  /** Called after each page. */
  readonly progress: (rows: number) => void
}

/** Calls in one answer; a call with payloads has up to some 100 KB. */
const PAGE = 1000
const PAYLOAD_PAGE = 100

/** Reads all pages of calls, oldest first, into Parquet files. */
export async function exportCalls(
  hub: HubClient,
  table: ParquetFolder<ParquetColumns>,
  wanted: CallExport,
): Promise<ExportedCalls> {
  const { db, kfl, start, end, payloads, maxCalls } = wanted
  const rowOf: (call: Page['calls'][number]) => ParquetRow<ParquetColumns> = payloads ? payloadRow : callRow
  const missing = new Set<string>()
  let incomplete: ExportedCalls['incomplete'] = []
  let whyEmpty: Page['why_empty']
  let cursor: string | undefined
  do {
    const limit = Math.min(payloads ? PAYLOAD_PAGE : PAGE, maxCalls - table.rows)
    const format = payloads ? ('full' as const) : ('compact' as const)
    const query = { db, kfl, start, end, limit, format, order: 'oldest' as const, cursor }
    const page = await hub.call('list_api_calls', query)
    await table.append(page.calls.map(rowOf))
    for (const { name } of page.missing_nodes ?? []) missing.add(name)
    if (page.incomplete) incomplete = page.incomplete
    whyEmpty = page.why_empty
    cursor = page.next_cursor ?? undefined
    wanted.progress(table.rows)
  } while (cursor !== undefined && table.rows < maxCalls)
  await table.finish()
  const { path, rows, bytes } = table
  return {
    ...{ folder: path, rows, bytes, truncated: cursor !== undefined },
    ...{ missingNodes: [...missing], incomplete, whyEmpty },
  }
}
