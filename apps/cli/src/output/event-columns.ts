import type { OperationOutput } from '@tapdeck/api'
import type { Clock } from './clock.ts'
import type { Column } from './table.ts'

export type Event = OperationOutput<'list_events'>['events'][number]

export const eventColumns = (clock: Clock): readonly Column<Event>[] => [
  { title: clock.title, cell: ({ ts }) => clock.format(ts) },
  { title: 'NODE', cell: ({ node }) => node, shrinks: true },
  { title: 'TYPE', cell: ({ type }) => type },
  { title: 'PID', cell: ({ pid }) => (typeof pid === 'number' ? pid : undefined), align: 'right' },
  { title: 'WHO', cell: nameOf, shrinks: true },
  { title: 'WHAT', cell: detailOf, shrinks: true },
]

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
