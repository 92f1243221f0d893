import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'
import type { Caller } from '../access/caller.ts'
import { scopeOf } from '../access/scope.ts'
import type { CoverageWindow, NodeGap } from '../cluster/coverage.ts'
import type { LossSpan } from '../cluster/live-losses.ts'
import type { HubServices } from './hub-services.ts'

type Incomplete = z.input<typeof shapes.incomplete>

/** What an answer says of the source it comes from: whether live indexing goes on, and what it misses of this window. */
export function answerNotes(
  db: string | undefined,
  services: HubServices,
  caller: Caller,
  window: CoverageWindow,
): { indexing?: z.input<typeof shapes.indexing>; incomplete?: Incomplete } {
  const incomplete = incompleteOf(db, services, caller, window)
  return {
    ...(db === undefined && { indexing: services.switchboard.indexing }),
    ...(incomplete.length > 0 && { incomplete }),
  }
}

/** The times of a window of which a database misses something, oldest first. */
export function incompleteOf(
  db: string | undefined,
  services: HubServices,
  caller: Caller,
  window: CoverageWindow,
): Incomplete {
  const gaps = gapsOf(db, services, window).map((gap) => ({ at: gap.from, shown: shownGap(gap, caller) }))
  const spans = db === undefined ? services.liveLosses.within(window.start, window.end) : []
  const lost = spans.map((span) => ({ at: span.start, shown: shownSpan(span, caller) }))
  return [...gaps, ...lost].sort((a, b) => a.at - b.at).map(({ shown }) => shown)
}

/** The times of a window of which the nodes have nothing, in the live index or in the snapshot that was dissected. */
export function gapsOf(
  db: string | undefined,
  { coverage, snapshots }: Pick<HubServices, 'coverage' | 'snapshots'>,
  window: CoverageWindow,
): NodeGap[] {
  if (db === undefined) return coverage.missedLive(window)
  const [snapshot = ''] = db.split('/')
  const { start = 0, end = Number.POSITIVE_INFINITY } = window
  return (snapshots.get(snapshot).gaps ?? [])
    .filter(({ from_ts, to_ts }) => to_ts > start && from_ts <= end)
    .map(({ from_ts: from, to_ts: to, ...gap }) => ({ ...gap, from, to, kind: 'not_recorded' }))
}

export function shownGaps(gaps: readonly NodeGap[], caller: Caller): Incomplete {
  return gaps.map((gap) => shownGap(gap, caller))
}

/** Nodes are no concern of a caller who sees only some namespaces. */
function shownGap({ node, from, to, ...gap }: NodeGap, caller: Caller): Incomplete[number] {
  const times = { start: instant(from), end: instant(to) }
  return scopeOf(caller) ? { ...times, kind: gap.kind, reason: gap.reason } : { ...times, node, ...gap }
}

function shownSpan(span: LossSpan, caller: Caller): Incomplete[number] {
  const times = { start: instant(span.start), end: instant(span.end) }
  const why =
    span.skipped_packets === undefined ? {} : { kind: 'not_indexed' as const, reason: 'fell_behind' }
  // The counts are of all traffic.
  return scopeOf(caller) ? { ...times, ...why } : { ...span, ...times, ...why }
}

function instant(at: number): string {
  return new Date(at).toISOString()
}
