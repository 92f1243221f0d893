import type { shapes } from '@tapdeck/api'
import type { Snapshot, SnapshotLoss } from '@tapdeck/recording'
import type { z } from 'zod'
import type { Caller } from '../access/caller.ts'
import { scopeOf } from '../access/scope.ts'
import { absentNodes, type MissingNode } from '../cluster/absent-nodes.ts'
import type { CoverageWindow, NodeGap } from '../cluster/coverage.ts'
import type { LossSpan } from '../cluster/loss-times.ts'
import type { HubServices } from './hub-services.ts'

interface MissingNotes {
  missing_nodes?: MissingNode[]
  incomplete?: Incomplete
}

type Incomplete = z.input<typeof shapes.incomplete>
type NotStreamed = z.input<typeof shapes.notStreamed>

/** What an answer says of the source it comes from: whether live indexing goes on, and what it misses of this window. */
export function answerNotes(
  db: string | undefined,
  services: HubServices,
  caller: Caller,
  window: CoverageWindow,
  failed: readonly MissingNode[] = [],
): MissingNotes & { indexing?: z.input<typeof shapes.indexing>; not_streamed?: NotStreamed } {
  const unstreamed = db === undefined ? notStreamed(services, caller, window) : []
  return {
    ...(db === undefined && { indexing: services.switchboard.indexing }),
    ...missingNotes(db, services, caller, window, failed),
    ...(unstreamed.length > 0 && { not_streamed: unstreamed }),
  }
}

/** What an answer misses of this window: times, and nodes. `failed`: nodes that did not answer. */
export function missingNotes(
  db: string | undefined,
  services: HubServices,
  caller: Caller,
  window: CoverageWindow,
  failed: readonly MissingNode[] = [],
): MissingNotes {
  const incomplete = incompleteOf(db, services, caller, window)
  return {
    ...noteMissingNodes(failed, gapsOf(db, services, window)),
    ...(incomplete.length > 0 && { incomplete }),
  }
}

/** Each node once: those that did not answer, and those that could not be asked at these gaps. */
export function noteMissingNodes(
  failed: readonly MissingNode[],
  gaps: Parameters<typeof absentNodes>[0],
): Pick<MissingNotes, 'missing_nodes'> {
  const nodes = new Map([...absentNodes(gaps), ...failed].map((node) => [node.name, node]))
  return nodes.size > 0 ? { missing_nodes: [...nodes.values()] } : {}
}

/** How certain a total is, of which nodes may be missing: what they have comes on top. */
export function certaintyOf<Certainty extends string>(
  total_is: Certainty,
  { missing_nodes }: MissingNotes,
): Certainty | 'at_least' {
  return total_is === 'exact' && missing_nodes !== undefined ? 'at_least' : total_is
}

/** The times of a window in which live readers missed calls. The index has them, so an answer is not incomplete for it. */
function notStreamed({ streamLosses }: HubServices, caller: Caller, window: CoverageWindow): NotStreamed {
  return streamLosses.within(window.start, window.end).map(({ start, end, ...loss }) => {
    const times = { start: instant(start), end: instant(end) }
    return scopeOf(caller) ? times : { ...times, ...loss }
  })
}

/** The times of a window of which a database misses something, oldest first. */
export function incompleteOf(
  db: string | undefined,
  services: HubServices,
  caller: Caller,
  window: CoverageWindow,
): Incomplete {
  return shownIncomplete(gapsOf(db, services, window), lossesOf(db, services, window), caller)
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

/** The times of a window in which packets were lost: of the live index, or of the snapshot that was dissected. */
export function lossesOf(
  db: string | undefined,
  { liveLosses, snapshots }: Pick<HubServices, 'liveLosses' | 'snapshots'>,
  window: CoverageWindow,
): readonly LossSpan[] {
  if (db === undefined) return liveLosses.within(window.start, window.end)
  const [name = ''] = db.split('/')
  const snapshot = snapshots.get(name)
  const { start = 0, end = Number.POSITIVE_INFINITY } = window
  return [...(snapshot.losses ?? []).map(spanOf), ...untimedLosses(snapshot)].filter(
    (span) => span.end > start && span.start <= end,
  )
}

/** Nodes that dropped packets at a time that is not known: it can be any time of the snapshot. */
function untimedLosses({ nodes, losses = [], start_ts, end_ts }: Snapshot): readonly LossSpan[] {
  if (start_ts === null || end_ts === null) return []
  return nodes
    .filter(({ name, dropped_packets }) => dropped_packets > 0 && !losses.some(({ node }) => node === name))
    .map(({ name: node, dropped_packets, drops = { kernel: dropped_packets, disk: 0 } }) => ({
      ...{ node, start: start_ts, end: end_ts },
      ...(drops.kernel > 0 && { kernel_drops: drops.kernel }),
      ...(drops.disk > 0 && { disk_drops: drops.disk }),
    }))
}

function spanOf({ from_ts: start, to_ts: end, ...loss }: SnapshotLoss): LossSpan {
  return { ...loss, start, end }
}

/** What is missing as a caller may see it, oldest first. */
export function shownIncomplete(
  gaps: readonly NodeGap[],
  losses: readonly LossSpan[],
  caller: Caller,
): Incomplete {
  return [
    ...gaps.map((gap) => ({ at: gap.from, shown: shownGap(gap, caller) })),
    ...losses.map((span) => ({ at: span.start, shown: shownSpan(span, caller) })),
  ]
    .sort((a, b) => a.at - b.at)
    .map(({ shown }) => shown)
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
