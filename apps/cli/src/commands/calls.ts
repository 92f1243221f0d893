import { choice, flag, text, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { connectionOptions, hubOptions, openHub } from '../hub/hub-options.ts'
import { notePaused } from '../hub/note-paused.ts'
import { windowOf, windowOptions } from '../hub/window-options.ts'
import { callColumns } from '../output/call-columns.ts'
import { Clock } from '../output/clock.ts'
import { noteIncomplete } from '../output/note-incomplete.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'
import { withStopSignal } from '../parts/stop-request.ts'

const FOLLOWED_FROM = 10

export const calls = command({
  name: 'calls',
  summary: 'Searches calls: live, of one dissection, or in the recording; newest first.',
  operations: ['list_api_calls'],
  options: {
    db: text('SNAPSHOT/NAME', 'A dissection, or `recording` for what is recorded. Default: live calls.'),
    kfl: text('EXPR', 'Only calls that match.'),
    limit: whole('N', 'Maximum number of calls. Default: 100; with --follow, 10 earlier calls.', 1, 1000),
    ...windowOptions,
    follow: flag('Prints live calls as they happen, until Ctrl-C. As JSON, one call a line.'),
    order: choice(['newest', 'oldest'], 'Which come first. Default: newest.'),
    cursor: text('CURSOR', 'Continues after the previous page (next_cursor).'),
    fields: text(
      'FIELDS',
      'Only these fields of each call, comma-separated, such as src.pod,path,status; as JSON.',
    ),
    format: choice(['table', 'compact', 'full', 'raw'], 'How to print them; all but table are JSON.'),
    utc: hubOptions.utc,
    ...connectionOptions,
  },
  async run(input) {
    const { options, terminal } = input
    const { db, kfl, limit, order, cursor, format, fields, json } = options
    const asTable =
      !json && fields === undefined && (format === 'table' || (format === undefined && terminal.isScreen))
    const window = windowOf(options)
    const hub = openHub(input)
    if (options.follow) {
      for (const name of ['db', 'end', 'order', 'cursor'] as const)
        if (options[name] !== undefined) throw new UsageError(`--follow and --${name}: give one of them`)
      const { followCalls } = await import('../hub/follow-calls.ts')
      const wanted = {
        kfl: kfl ?? '',
        limit: limit ?? FOLLOWED_FROM,
        start: window.start,
        asTable,
        utc: options.utc,
      }
      await withStopSignal((signal) => followCalls(hub, wanted, terminal, signal))
      return exitStatus.done
    }
    const answer = await hub.call('list_api_calls', {
      db,
      kfl,
      limit,
      order,
      cursor,
      fields,
      ...window,
      format: format === 'table' ? undefined : format,
    })
    if (!asTable) await showJson(terminal, answer)
    else if (answer.calls.length > 0) {
      const clock = new Clock(
        answer.calls.map(({ ts }) => ts),
        options,
      )
      await terminal.out(formatTable(callColumns(clock), answer.calls, terminal))
    }
    if (asTable && answer.why_empty) terminal.note(`No calls: ${answer.why_empty.detail}`)
    if (!asTable || answer.why_empty?.reason !== 'indexing_paused')
      notePaused(terminal, answer.indexing, 'live calls end there. --db recording has the later ones.')
    else terminal.note('Resume indexing with `tapdeck switch on`.')
    if (asTable) noteIncomplete(terminal, answer.incomplete)
    if (asTable && answer.truncated) terminal.note(`${answer.calls.length} of ${answer.total} calls shown`)
    return exitStatus.done
  },
})
