import { callColumns, type ShownCall } from '../output/call-columns.ts'
import { Clock } from '../output/clock.ts'
import { formatTable, Table } from '../output/table.ts'
import { tablePrinter } from '../output/table-printer.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Dissected } from './dissect-files.ts'

/** Columns are as wide as the first of so many rows need. */
const tableBatch = 1000

/** A page is made while the one before it is written. */
export async function writeNdjson({ sorter }: Dissected, terminal: Terminal): Promise<void> {
  let written = Promise.resolve()
  for (const page of sorter.pages()) {
    await written
    written = terminal.out(page)
  }
  await written
}

export async function writeTable({ sorter }: Dissected, terminal: Terminal, utc: boolean): Promise<void> {
  const columns = callColumns(new Clock(sorter.timeRange, { utc }))
  let table: Table<ShownCall> | undefined
  let rows: ShownCall[] = []
  const flush = async () => {
    const first = table === undefined
    table ??= new Table(columns, rows, terminal)
    await terminal.out((first ? table.head() : '') + table.lines(rows))
    rows = []
  }
  for (const line of sorter.lines()) {
    if (rows.push(JSON.parse(line) as ShownCall) === tableBatch) await flush()
  }
  if (rows.length > 0 && table === undefined) await terminal.out(formatTable(columns, rows, terminal))
  else if (rows.length > 0) await flush()
}

/** Prints the lines of calls that come one by one as a table, whose columns do not wait for later rows. */
export function pipeTable(terminal: Terminal, utc: boolean): (lines: Buffer) => Promise<void> {
  const print = tablePrinter(terminal, utc)
  return async (lines) => {
    const texts = lines.toString().split('\n').slice(0, -1)
    if (texts.length > 0) await print(texts.map((line) => JSON.parse(line) as ShownCall))
  }
}

export async function writeSummary(dissected: Dissected, terminal: Terminal): Promise<void> {
  const { packets, bytes, loss, elapsedMs, sorter } = dissected
  // A filter that reads late has its say only here.
  for (const _ of sorter.pages());
  const counts = Object.entries(sorter.byProtocol).sort(
    ([one, a], [other, b]) => b - a || (one < other ? -1 : 1),
  )
  const summary = {
    packets,
    bytes,
    flows: sorter.flows,
    calls: counts.reduce((sum, [, count]) => sum + count, 0),
    by_protocol: Object.fromEntries(counts),
    loss,
    elapsed_ms: Math.round(elapsedMs),
    mb_per_s: Math.round(bytes / 100 / Math.max(1, elapsedMs)) / 10,
  }
  await terminal.out(`${JSON.stringify(summary)}\n`)
}
