import { choice, flag, text, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import type { ExportedTables } from '../export/export-tables.ts'
import { connectionOptions, openHub } from '../hub/hub-options.ts'
import { windowOf, windowOptions } from '../hub/window-options.ts'
import { noteIncomplete } from '../output/note-incomplete.ts'
import { showJson } from '../output/show.ts'
import type { Terminal } from '../output/terminal.ts'
import { withStopSignal } from '../parts/stop-request.ts'

const USUAL_CALLS = 1_000_000
const MAX_CALLS = 100_000_000
const USUAL_FLOWS = 1_000_000
const MAX_FLOWS = 100_000_000

export const exportCommand = command({
  name: 'export',
  summary: 'Writes calls and flows into Parquet files, for DuckDB, pandas, ClickHouse and other tools.',
  options: {
    parquet: text('FOLDER', 'Where to write the folders calls and flows. Required.'),
    db: text('SNAPSHOT/NAME', 'A dissection, or `recording` for what is recorded. Default: the live index.'),
    kfl: text('EXPR', 'Only calls that match; then only calls are written.'),
    ...windowOptions,
    table: choice(['calls', 'flows'], 'Only one of the two tables.'),
    payloads: flag('Adds sizes, processes, headers and bodies to calls.'),
    'max-calls': whole(
      'N',
      `The oldest N calls at most. Default: ${USUAL_CALLS.toLocaleString('en')}.`,
      1,
      MAX_CALLS,
    ),
    'max-flows': whole(
      'N',
      `N rows of flows at most. Default: ${USUAL_FLOWS.toLocaleString('en')}.`,
      1,
      MAX_FLOWS,
    ),
    ...connectionOptions,
  },
  notes:
    'The files contain what the caller may see: roles, namespaces and redaction apply as in `tapdeck calls`. Flows have no filter, and are not in the recording: they come from an index.',
  async run(input) {
    const { options, terminal } = input
    const { parquet: folder, db, kfl, table, payloads } = options
    if (folder === undefined) throw new UsageError('expected --parquet FOLDER, where to write the files')
    const isRecording = db === 'recording'
    if (table === 'flows' && (kfl !== undefined || isRecording))
      throw new UsageError(`--table flows and ${isRecording ? '--db recording' : '--kfl'}: give one of them`)
    const { start, end = String(Date.now()) } = windowOf(options)
    const hub = openHub(input)
    const progress = (what: string) => (rows: number) =>
      terminal.noteIsScreen && terminal.status(`${rows} ${what}`)
    const wanted = {
      folder,
      note: (line: string) => terminal.note(line),
      calls:
        table === 'flows'
          ? undefined
          : {
              ...{ db, kfl, start, end, payloads, maxCalls: options['max-calls'] ?? USUAL_CALLS },
              progress: progress('calls'),
            },
      flows:
        table === 'calls' || kfl !== undefined || isRecording
          ? undefined
          : {
              ...{ db, start, end, maxFlows: options['max-flows'] ?? USUAL_FLOWS },
              progress: progress('rows of flows'),
            },
    }
    const { exportTables } = await import('../export/export-tables.ts')
    const { calls, flows } = await withStopSignal((signal) => exportTables(hub, { ...wanted, signal }))
    if (terminal.noteIsScreen) terminal.status('')
    if (options.json || !terminal.isScreen) await showJson(terminal, { calls, flows })
    noteCalls(terminal, calls)
    noteFlows(terminal, flows)
    return exitStatus.done
  },
})

function noteCalls(terminal: Terminal, calls: ExportedTables['calls']): void {
  if (calls === undefined) return
  const { folder, rows, bytes, truncated, whyEmpty, missingNodes, incomplete } = calls
  terminal.note(`Wrote ${rows} calls, ${bytes} bytes, to ${folder}`)
  if (rows === 0 && whyEmpty) terminal.note(`No calls: ${whyEmpty.detail}`)
  if (truncated) terminal.note('There are more calls: give a larger --max-calls, or --start after the last.')
  if (missingNodes.length > 0) terminal.note(`Nodes that did not answer: ${missingNodes.join(', ')}`)
  noteIncomplete(terminal, incomplete)
}

function noteFlows(terminal: Terminal, flows: ExportedTables['flows']): void {
  if (flows === undefined) return
  const { folder, rows, total, bytes, truncated, missingNodes } = flows
  terminal.note(`Wrote ${rows} rows of flows, ${bytes} bytes, to ${folder}`)
  if (truncated)
    terminal.note(
      `There are more rows of flows, about ${total}: give a larger --max-flows, or a shorter window.`,
    )
  if (missingNodes.length > 0) terminal.note(`Nodes that did not answer: ${missingNodes.join(', ')}`)
}
