import { callColumns, type ShownCall } from './call-columns.ts'
import { Clock } from './clock.ts'
import { Table } from './table.ts'
import type { Terminal } from './terminal.ts'

/** Widths of columns that do not shrink. */
const widest: ShownCall = {
  ts: 0,
  src: { ip: '', port: 0 },
  dst: { ip: '', port: 0 },
  proto: 'mongodb',
  method: 'OPTIONS',
  status: 'NXDOMAIN',
  latency_ms: 999,
}

/** Prints rows as they come, below one head. */
export function tablePrinter(
  terminal: Terminal,
  utc: boolean,
): (calls: readonly ShownCall[]) => Promise<void> {
  const clock = new Clock([Date.now()], { utc })
  const table = new Table(callColumns(clock), [widest], { ...terminal, fills: true })
  let hasHead = false
  return async (calls) => {
    if (calls.length === 0 && hasHead) return
    await terminal.out((hasHead ? '' : table.head()) + table.lines(calls))
    hasHead = true
  }
}
