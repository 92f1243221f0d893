import { Problem } from '@tapdeck/api'
import { askMerged, type StatsGroup, type StatsGroupBy } from '@tapdeck/questions'
import type { CallSource } from './call-source.ts'
import type { Side } from './compare-groups.ts'
import { SourceSet } from './source-set.ts'

/** Which calls are looked at: a database, or live, and a window of it. */
export interface CallWindow {
  readonly db: string | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly sources: readonly CallSource[]
}

/** The part of a window in which calls could have been seen, in Unix milliseconds. */
export interface ObservedTime {
  readonly from: number | null
  readonly to: number | null
  readonly seconds: number
}

/** The groups of a window, and the time in which calls could have been seen. */
export interface ProfiledWindow extends Side, ObservedTime {
  readonly approximate: boolean
  readonly missing: readonly { readonly name: string; readonly reason: string }[]
}

/** Profiles of the groups of a window, by the texts of their names. */
export async function profiledWindow(
  window: CallWindow,
  { kfl, group_by, limit }: { readonly kfl: string; readonly group_by: StatsGroupBy; readonly limit: number },
  now: number,
): Promise<ProfiledWindow> {
  const asked = new SourceSet(window.sources)
  const times = timesOf(window)
  const [stats, { oldest_ts: oldest, newest_ts: newest }] = await Promise.all([
    askMerged(asked, 'stats', { kfl, group_by, limit, profile: true, ...times }),
    askMerged(asked, 'summary', {}),
  ])
  const start = stats.counted_from_ts ?? window.start
  return {
    ...observedTime({ ...window, start }, oldest, newest, now),
    groups: new Map(stats.groups.map((one): [string, StatsGroup] => [one.group, one])),
    cut: stats.approximate === true || stats.groups.length >= limit,
    approximate: stats.approximate === true,
    missing: asked.missing,
  }
}

/** The window as far as calls from `oldest` to `newest` reach. Live, silence up to now counts. */
export function observedTime(
  { db, start, end }: Pick<CallWindow, 'db' | 'start' | 'end'>,
  oldest: number | null,
  newest: number | null,
  now: number,
): ObservedTime {
  if (oldest === null || newest === null) return { from: null, to: null, seconds: 0 }
  const last = db === undefined && end !== undefined ? now : newest
  const from = Math.max(start ?? 0, oldest)
  const to = Math.min(end ?? Number.POSITIVE_INFINITY, last)
  if (from > to) return { from: null, to: null, seconds: 0 }
  return { from, to, seconds: Math.max((to - from) / 1000, 0.001) }
}

export function timesOf({ start, end }: Pick<CallWindow, 'start' | 'end'>): {
  start?: number
  end?: number
} {
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
}

interface Baseline {
  readonly db?: string | undefined
  readonly baseline_db?: string | undefined
  readonly baseline_start?: number | undefined
  readonly baseline_end?: number | undefined
}

/** What a window is to be compared with; undefined where nothing was given. Times alone are of the same database. */
export function baselineOf(
  input: Baseline,
): { readonly db: string | undefined; readonly start?: number; readonly end?: number } | undefined {
  const { db, baseline_db, baseline_start: start, baseline_end: end } = input
  if (baseline_db === undefined && start === undefined && end === undefined) return undefined
  if (start !== undefined && end !== undefined && start >= end)
    throw new Problem(400, 'invalid_input', 'baseline_start is not before baseline_end')
  return { db: baseline_db ?? db, ...timesOf({ start, end }) }
}
