import { Problem } from '@tapdeck/api'
import type { Boundaries } from '@tapdeck/recording'

export interface WindowRequest {
  /** Milliseconds. */
  readonly duration?: number | undefined
  /** Unix milliseconds. */
  readonly start?: number | undefined
  readonly end?: number | undefined
}

export interface SnapshotWindow {
  readonly start: number
  readonly end: number
  /** It reaches into the future, where nothing is recorded yet. */
  readonly beyond: boolean
}

/**
 * The window that a snapshot takes. A duration means the most recent recorded window of that length: it is counted
 * back from the newest packet, which is now while capture runs, and lies in the past where it has stopped.
 */
export function snapshotWindow(
  request: WindowRequest,
  recorded: readonly Boundaries[],
  now: number,
): SnapshotWindow {
  // What the caller has just seen may have happened in this very millisecond.
  const latest = now + 1
  if (request.duration !== undefined) {
    const newest = Math.max(...recorded.map(({ newest_ts }) => newest_ts ?? Number.NEGATIVE_INFINITY))
    const until = Number.isFinite(newest) ? Math.min(now, newest) : now
    return { start: Math.max(0, until - request.duration), end: latest, beyond: false }
  }
  const oldest = Math.min(...recorded.map(({ oldest_ts }) => oldest_ts ?? Number.POSITIVE_INFINITY))
  const end = Math.min(request.end ?? latest, latest)
  const start = request.start ?? (Number.isFinite(oldest) ? Math.min(oldest, end) : 0)
  if (start > end || (request.end !== undefined && start >= request.end))
    throw new Problem(400, 'invalid_input', 'The window ends before it starts, or starts in the future')
  return { start, end, beyond: (request.end ?? 0) > latest }
}

/** How many bytes of a recording lie in a window, if its packets are spread evenly. */
export function expectedBytes(recorded: Boundaries, { start, end }: SnapshotWindow): number {
  const { oldest_ts, newest_ts, size_bytes } = recorded
  if (oldest_ts === null || newest_ts === null) return 0
  const overlap = Math.min(end, newest_ts) - Math.max(start, oldest_ts)
  if (overlap < 0) return 0
  return newest_ts > oldest_ts ? size_bytes * (overlap / (newest_ts - oldest_ts)) : size_bytes
}
