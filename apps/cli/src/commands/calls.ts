import { choice, text, whole } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { connectionOptions, openHub } from '../hub/hub-options.ts'
import { callColumns } from '../output/call-columns.ts'
import { noteIncomplete } from '../output/note-incomplete.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'

export const calls = command({
  name: 'calls',
  summary: 'Searches calls: live, of one dissection, or in the recording; newest first.',
  options: {
    db: text('SNAPSHOT/NAME', 'A dissection, or `recording` for what is recorded; live calls unless said.'),
    kfl: text('EXPR', 'Only calls that match.'),
    limit: whole('N', 'At most so many; 100 unless said.', 1, 1000),
    start: text('TIME', 'From this time on: RFC 3339 or Unix milliseconds.'),
    end: text('TIME', 'Up to this time.'),
    order: choice(['newest', 'oldest'], 'Which come first; newest unless said.'),
    cursor: text('CURSOR', 'Goes on where the page before ended (next_cursor).'),
    format: choice(['table', 'compact', 'full', 'raw'], 'How to print them; JSON unless it is a table.'),
    ...connectionOptions,
  },
  async run(input) {
    const { options, terminal } = input
    const { format, url, token, json, ...query } = options
    const asTable = !json && (format === 'table' || (format === undefined && terminal.isScreen))
    const answer = await openHub(input).call('list_api_calls', {
      ...query,
      format: format === 'table' ? undefined : format,
    })
    if (!asTable) await showJson(terminal, answer)
    else if (answer.calls.length > 0)
      await terminal.out(formatTable(callColumns, answer.calls, terminal.width))
    if (asTable && answer.why_empty) terminal.note(`No calls: ${answer.why_empty.detail}`)
    if (asTable) noteIncomplete(terminal, answer.incomplete)
    if (asTable && answer.truncated) terminal.note(`${answer.calls.length} of ${answer.total} calls shown`)
    return exitStatus.done
  },
})
