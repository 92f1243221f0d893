import type { CoverageReport } from '@tapdeck/api'
import { outside } from '@tapdeck/recording'

interface Gap {
  readonly from: number
  readonly to: number
  readonly reason: string
  readonly detail?: string
  readonly pending?: true
}

/**
 * All gaps of one coverage up to now, oldest first: those that ended, what was deleted to make space (for the reason `full`), and
 * what goes on.
 */
export function allGaps(
  { until, off, forgotten = 0, gaps = [] }: CoverageReport,
  seen: number,
  isHere: boolean,
  now: number,
  full: 'overwritten' | 'index_full',
): Gap[] {
  // What never existed was not deleted.
  const before = gaps.filter(({ reason }) => reason === 'not_started')
  const deleted = forgotten > 0 ? outside<Gap>({ from: 0, to: forgotten, reason: full }, before) : []
  const known: Gap[] = gaps.flatMap((gap) => outside<Gap>(gap, deleted))
  const open: Gap[] = []
  if (off) open.push({ from: until, to: isHere ? now : Math.max(until, seen), ...off })
  if (!isHere) open.push({ from: off ? Math.max(until, seen) : until, to: now, reason: 'worker_away' })
  return [...deleted, ...known, ...open].filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)
}
