import type { CompactCall } from '../../../client/call-details.ts'
import { valueAt } from '../../../columns/field-path.ts'

const COLUMNS: readonly (readonly [string, (call: CompactCall) => unknown])[] = [
  ['time', ({ ts }) => new Date(ts).toISOString()],
  ['id', ({ id }) => id],
  ['protocol', ({ proto }) => proto],
  ['method', ({ method }) => method],
  ['path', ({ path }) => path],
  ['status', ({ status }) => status],
  ['error', ({ error }) => error],
  ['latency_ms', ({ latency_ms }) => latency_ms],
  ['src_ip', ({ src }) => src.ip],
  ['src_port', ({ src }) => src.port],
  ['src_pod', ({ src }) => src.pod],
  ['src_ns', ({ src }) => src.ns],
  ['src_svc', ({ src }) => src.svc],
  ['dst_ip', ({ dst }) => dst.ip],
  ['dst_port', ({ dst }) => dst.port],
  ['dst_pod', ({ dst }) => dst.pod],
  ['dst_ns', ({ dst }) => dst.ns],
  ['dst_svc', ({ dst }) => dst.svc],
]

/** What the columns are made of: the fields to ask the hub for where others are asked for as well. */
export const csvFields = [
  'id',
  'ts',
  'proto',
  'method',
  'path',
  'status',
  'error',
  'latency_ms',
  'src',
  'dst',
]

/** A field that was added to the list: its name in filters, and where the call has it. */
export interface CsvField {
  readonly name: string
  readonly path: string
}

/** A line a call (RFC 4180), with the fields that were added to the list at its end. */
export function asCsv(calls: readonly CompactCall[], added: readonly CsvField[] = []): string {
  const lines = calls.map((call) =>
    [...COLUMNS.map(([, read]) => read(call)), ...added.map(({ path }) => plain(valueAt(call, path)))]
      .map(cell)
      .join(','),
  )
  const names = [...COLUMNS.map(([name]) => name), ...added.map(({ name }) => name)]
  return [names.map(cell).join(','), ...lines, ''].join('\r\n')
}

function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? undefined)
}

/** A text that a spreadsheet would run as a formula begins with an apostrophe. */
function cell(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
