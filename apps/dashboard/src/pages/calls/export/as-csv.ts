import type { CompactCall } from '../../../client/call-details.ts'

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

/** A line a call (RFC 4180). */
export function asCsv(calls: readonly CompactCall[]): string {
  const lines = calls.map((call) => COLUMNS.map(([, read]) => cell(read(call))).join(','))
  return [COLUMNS.map(([name]) => name).join(','), ...lines, ''].join('\r\n')
}

/** A text that a spreadsheet would run as a formula begins with an apostrophe. */
function cell(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
