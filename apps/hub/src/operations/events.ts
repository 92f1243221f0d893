import type { OperationInput } from '@tapdeck/api'
import type { EventQuery } from '@tapdeck/recording'
import { hidesCommandLines } from '../access/hides-command-lines.ts'
import { scopeOf } from '../access/scope.ts'
import { type EventPlace, eventCursor, eventPlace } from '../events/event-cursor.ts'
import { askTogether } from '../query/ask-together.ts'
import { gapsOf, noteMissingNodes } from './answer-notes.ts'
import { chosenFields } from './chosen-fields.ts'
import { type EventSource, eventSources } from './event-sources.ts'
import type { Handler } from './handler.ts'
import { requireValidWindow } from './require-valid-window.ts'
import { RECORDING } from './rewind.ts'

export const listEvents: Handler<'list_events'> = async (input, services, { caller }) => {
  const { db, cursor, limit, start, end, kind, type, pid, name, order } = input
  requireValidWindow(input)
  const scope = scopeOf(caller)
  const place = cursor === undefined ? undefined : eventPlace(cursor)
  const hidden = hidesCommandLines(caller, services.redactions)
  const sources = eventSources(db, services, kind, scope)
  const window = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
  const answers = await askAll(sources, {
    order,
    limit: limit + (place?.skip ?? 0),
    ...(place && { from: place.ts }),
    ...window,
    ...(kind !== undefined && { kind }),
    ...(type !== undefined && { type }),
    ...(pid !== undefined && { pid }),
    ...(name !== undefined && { name }),
    ...(hidden && { hide_cmdline: true }),
  })
  const newest = order === 'newest'
  const all = answers.flatMap(({ page }) => page.events)
  // Stable: what has the same time stays in the order of its sources, page after page.
  const sorted = all.sort((a, b) => (newest ? b.ts - a.ts : a.ts - b.ts)).slice(place?.skip ?? 0)
  const events = sorted.slice(0, limit)
  const truncated = sorted.length > limit || answers.some(({ page }) => page.more)
  const unavailable = answers.flatMap(({ node, reason }) => (reason === undefined ? [] : { node, reason }))
  const more = truncated && events.length > 0
  const total = answers.reduce((sum, { page }) => sum + page.total, 0)
  // Nodes that did not answer are reason enough, and are not asked again.
  const isEmpty = total === 0 && place === undefined && answers.every(({ isAnswered }) => isAnswered)
  return {
    events: chosenFields(events, input.fields),
    total,
    truncated: more,
    next_cursor: more ? eventCursor(placeAfter(events, place)) : null,
    ...(unavailable.length > 0 && { unavailable }),
    // Events of the recording are those of the nodes.
    ...(kind !== 'cluster' &&
      noteMissingNodes([], gapsOf(db === RECORDING ? undefined : db, services, window))),
    ...(isEmpty && { why_empty: await whyNoEvents(input, sources) }),
  }
}

/** Whether the window has no events, or only none of the kind that was asked for. */
async function whyNoEvents(
  { kind, type, name, pid, start, end }: OperationInput<'list_events'>,
  sources: readonly EventSource[],
): Promise<string> {
  if (sources.length === 0)
    return 'Nothing here holds such events: they are recorded on nodes with a worker, and kept in snapshots of them.'
  const given = Object.entries({ type, name, pid }).flatMap(([key, value]) =>
    value === undefined ? [] : `${key}=${value}`,
  )
  const countOf = async (query: Partial<EventQuery>) => {
    const pages = await askAll(sources, { order: 'newest', limit: 0, ...query })
    return pages.reduce((sum, { page }) => sum + page.total, 0)
  }
  const ofKind = kind === undefined ? {} : { kind }
  const window = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
  const inWindow = given.length > 0 ? await countOf({ ...ofKind, ...window }) : 0
  if (inWindow > 0) return `No event has ${given.join(' and ')}; the window has ${inWindow} others.`
  const ever = await countOf(ofKind)
  const what = kind === undefined ? 'events' : `${kind} events`
  return ever > 0 ? `No ${what} in the window; ${ever} at other times.` : `No ${what} were recorded here.`
}

/** A node that does not answer, or long after most others, is named with the reason. */
async function askAll(sources: readonly EventSource[], query: EventQuery) {
  const results = await askTogether(
    sources.map((source) => ({ node: source.node, ask: (signal) => source.find(query, signal) })),
  )
  return results.map((result, at) => {
    const { node, reason: known } = sources[at]!
    if (result.status === 'fulfilled') {
      const { reason = known, ...page } = result.value
      return { node, page, reason, isAnswered: true }
    }
    const error: unknown = result.reason
    const page = { events: [], total: 0, more: false }
    const message = error instanceof Error ? error.message : String(error)
    return { node, page, reason: message, isAnswered: false }
  })
}

/** The next page begins at the time of the last event, after those of that time that were given. */
function placeAfter(events: readonly { readonly ts: number }[], before: EventPlace | undefined): EventPlace {
  const { ts } = events.at(-1)!
  const given = events.filter((event) => event.ts === ts).length
  return { ts, skip: given + (before?.ts === ts ? before.skip : 0) }
}
