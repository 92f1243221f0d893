import { visibleText } from '@tapdeck/api/visible-text'
import { choice, flag, text, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { followEvents } from '../hub/follow-events.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { windowOf, windowOptions } from '../hub/window-options.ts'
import { Clock } from '../output/clock.ts'
import { type Event, eventColumns } from '../output/event-columns.ts'
import { showJson } from '../output/show.ts'
import { formatTable, Table } from '../output/table.ts'
import type { Terminal } from '../output/terminal.ts'
import { withStopSignal } from '../parts/stop-request.ts'

export const events = command({
  name: 'events',
  summary: 'Shows cluster and OS events, recorded or of one snapshot, newest first.',
  operations: ['list_events'],
  options: {
    db: text('SNAPSHOT', 'A snapshot, or SNAPSHOT/NAME. Default: what is recorded now.'),
    kind: choice(['cluster', 'os'], 'Only one kind.'),
    type: text('TYPE', 'Only one type, such as process_start or pod_added.'),
    pid: whole('PID', 'Only of this process and its children.', 0, 0x7fff_ffff),
    name: text('TEXT', 'Only where this is a part of a name or command line.'),
    ...windowOptions,
    follow: flag('Prints events as they happen, until Ctrl-C. As JSON, one event a line.'),
    limit: whole('N', 'Maximum number of events. Default: 100.', 1, 1000),
    order: choice(['newest', 'oldest'], 'Which come first. Default: newest.'),
    cursor: text('CURSOR', 'Continues after the previous page (next_cursor).'),
    ...hubOptions,
  },
  async run(input) {
    const { options, terminal } = input
    const { db, kind, type, pid, name, limit, order, cursor } = options
    const asTable = wantsTable(options, terminal)
    const window = windowOf(options)
    const hub = openHub(input)
    if (options.follow) {
      for (const name of ['db', 'start', 'end', 'limit', 'order', 'cursor'] as const)
        if (options[name] !== undefined) throw new UsageError(`--follow and --${name}: give one of them`)
      const from = Number(window.start ?? Date.now())
      const print = eventPrinter(terminal, asTable, options.utc)
      await withStopSignal(async (signal) => {
        for await (const page of followEvents(hub, { kind, type, pid, name }, from, signal)) await print(page)
      })
      return exitStatus.done
    }
    const query = { db, kind, type, pid, name, limit, order, cursor, ...window }
    const answer = await hub.call('list_events', query)
    if (!asTable) await showJson(terminal, answer)
    else {
      const clock = new Clock(
        answer.events.map(({ ts }) => ts),
        options,
      )
      await terminal.out(formatTable(eventColumns(clock), answer.events, terminal))
      if (answer.truncated) terminal.note(`${answer.events.length} of ${answer.total} events shown`)
      for (const { node, reason } of answer.unavailable ?? []) terminal.note(`${node}: ${reason}`)
    }
    return exitStatus.done
  },
})

function eventPrinter(
  terminal: Terminal,
  asTable: boolean,
  utc: boolean,
): (events: readonly Event[]) => Promise<void> {
  if (!asTable)
    return (events) => terminal.out(events.map((event) => `${visibleText(JSON.stringify(event))}\n`).join(''))
  let table: Table<Event> | undefined
  return (events) => {
    const head = table === undefined
    table ??= new Table(eventColumns(new Clock([Date.now()], { utc })), events, { ...terminal, fills: true })
    return terminal.out((head ? table.head() : '') + table.lines(events))
  }
}
