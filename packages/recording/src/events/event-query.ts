import { eachLine, fromLine, timeOfLine } from './event-line.ts'
import type { EventKind, RecordedEvent } from './recorded-event.ts'

/** Which events are wanted. Times are Unix milliseconds, both included. */
export interface EventQuery {
  readonly start?: number
  readonly end?: number
  readonly kind?: EventKind
  readonly type?: string
  readonly pid?: number
  /** A part of a name: of a process, its program or command line, a pod, a service or a node. */
  readonly name?: string
  /** Command lines are neither returned nor looked at by `name`: the caller may not read them. */
  readonly hide_cmdline?: boolean
  readonly order: 'newest' | 'oldest'
  readonly limit: number
  /** Only what comes at this time or after it in `order` is listed; all of the window is counted. */
  readonly from?: number
}

/** What may be shown of a command line. Earlier versions stored them with the secrets in them. */
export type ShownCommandLine = (cmdline: string) => string

export interface EventPage {
  readonly events: readonly RecordedEvent[]
  readonly total: number
  /** There are more to list. */
  readonly more: boolean
}

/** One page out of texts of event lines, whatever their order: what is kept in memory is little more than the page. */
export async function findEvents(
  texts: AsyncIterable<Buffer> | Iterable<Buffer>,
  query: EventQuery,
  shown: ShownCommandLine,
): Promise<EventPage> {
  const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY, limit } = query
  const newest = query.order === 'newest'
  const from = query.from ?? (newest ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY)
  let found: RecordedEvent[] = []
  let total = 0
  let listed = 0
  const settle = () => {
    // Stable: what has the same time stays in the order in which it was recorded.
    found.sort((a, b) => (newest ? b.ts - a.ts : a.ts - b.ts))
    found = found.slice(0, limit)
  }
  for await (const text of texts) {
    eachLine(text, (at, until) => {
      const time = timeOfLine(text, at, until)
      if (time === undefined || time < start || time > end) return
      const event = fromLine(text, at, until)
      if (event === undefined || !matches(event, query, shown)) return
      total++
      if (newest ? time > from : time < from) return
      listed++
      found.push(event)
      if (found.length > 2 * limit + 1000) settle()
    })
  }
  settle()
  return { events: found.map((event) => asShown(event, query, shown)), total, more: listed > found.length }
}

function matches(
  event: RecordedEvent,
  { kind, type, pid, name, hide_cmdline }: EventQuery,
  shown: ShownCommandLine,
): boolean {
  if (kind !== undefined && event.kind !== kind) return false
  if (type !== undefined && event.type !== type) return false
  if (pid !== undefined && event.pid !== pid && event.ppid !== pid) return false
  if (name === undefined) return true
  const holds = (text: unknown) => typeof text === 'string' && text.includes(name)
  if ([event.name, event.comm, event.exe].some(holds)) return true
  // What is hidden must not be found either, or it could be guessed piece by piece.
  return hide_cmdline !== true && holds(event.cmdline) && holds(shown(String(event.cmdline)))
}

function asShown(event: RecordedEvent, { hide_cmdline }: EventQuery, shown: ShownCommandLine): RecordedEvent {
  const { cmdline, ...rest } = event
  if (cmdline === undefined) return event
  return hide_cmdline === true || typeof cmdline !== 'string' ? rest : { ...event, cmdline: shown(cmdline) }
}
