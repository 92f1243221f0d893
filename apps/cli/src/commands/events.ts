import { choice, text, whole } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'

export const events = command({
  name: 'events',
  summary: 'Shows cluster and OS events, recorded or of one snapshot, newest first.',
  options: {
    db: text('SNAPSHOT', 'A snapshot, or SNAPSHOT/NAME; what is recorded now unless said.'),
    kind: choice(['cluster', 'os'], 'Only one kind.'),
    type: text('TYPE', 'Only one type, such as process_start or pod_added.'),
    pid: whole('PID', 'Only of this process and its children.', 0, 0x7fff_ffff),
    name: text('TEXT', 'Only where this is a part of a name or command line.'),
    start: text('TIME', 'From this time on: RFC 3339 or Unix milliseconds.'),
    end: text('TIME', 'Up to this time.'),
    limit: whole('N', 'At most so many; 100 unless said.', 1, 1000),
    order: choice(['newest', 'oldest'], 'Which come first; newest unless said.'),
    cursor: text('CURSOR', 'Goes on where the page before ended (next_cursor).'),
    ...hubOptions,
  },
  async run(input) {
    const { options, terminal } = input
    const { url, token, json, format, ...query } = options
    const answer = await openHub(input).call('list_events', query)
    if (!wantsTable(options, terminal)) await showJson(terminal, answer)
    else {
      await terminal.out(
        formatTable(
          [
            { title: 'TIME', cell: ({ ts }) => new Date(ts).toISOString() },
            { title: 'NODE', cell: ({ node }) => node },
            { title: 'TYPE', cell: ({ type }) => type },
            { title: 'PID', cell: ({ pid }) => (typeof pid === 'number' ? pid : undefined), align: 'right' },
            { title: 'WHO', cell: nameOf },
            { title: 'WHAT', cell: detailOf, shrinks: true },
          ],
          answer.events,
          terminal.width,
        ),
      )
      if (answer.truncated) terminal.note(`${answer.events.length} of ${answer.total} events shown`)
      for (const { node, reason } of answer.unavailable ?? []) terminal.note(`${node}: ${reason}`)
    }
    return exitStatus.done
  },
})

type Event = Readonly<Record<string, unknown>>

function nameOf({ comm, namespace, name }: Event): string | undefined {
  if (typeof comm === 'string') return comm
  return typeof name === 'string' ? (namespace ? `${namespace}/${name}` : name) : undefined
}

function detailOf({ cmdline, code, signal, local, remote, ips }: Event): string | undefined {
  if (local !== undefined) return remote === undefined ? `on ${local}` : `${local} > ${remote}`
  if (typeof signal === 'number') return `signal ${signal}`
  if (typeof code === 'number') return `status ${code}`
  return typeof cmdline === 'string' ? cmdline : Array.isArray(ips) ? ips.join(' ') : undefined
}
