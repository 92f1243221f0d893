import { incompleteLine } from '../format/gap-line.ts'
import type { TimeWindow } from '../time/time-window.ts'

interface IncompleteSpan {
  readonly start: string
  readonly end: string
  readonly node?: string | undefined
  readonly kind?: string | undefined
  readonly reason?: string | undefined
  readonly detail?: string | undefined
  readonly kernel_drops?: number | undefined
  readonly disk_drops?: number | undefined
  readonly unwritten_calls?: number | undefined
  readonly pending?: boolean | undefined
}

/** A time of which the figures miss something, and why. */
export interface MissedTime extends TimeWindow {
  /** `lost`: nothing has it. `unindexed`: the recorded packets may have it. */
  readonly kind: 'lost' | 'unindexed'
  readonly text: string
}

/** The times of a window that its answer misses something of, cut to the window. */
export function missedTimes(
  incomplete: readonly IncompleteSpan[],
  window: TimeWindow,
): readonly MissedTime[] {
  return incomplete.flatMap((span) => {
    const start = Math.max(Date.parse(span.start), window.start)
    const end = Math.min(Date.parse(span.end), window.end)
    if (!(end > start)) return []
    return [{ start, end, kind: kindOf(span), text: textOf(span) }]
  })
}

/** Those of a moment or of a bucket. */
export function missedAt(missed: readonly MissedTime[], { start, end }: TimeWindow): readonly MissedTime[] {
  return missed.filter((time) => time.end > start && time.start < end)
}

function kindOf({ kind, kernel_drops, disk_drops, unwritten_calls }: IncompleteSpan): MissedTime['kind'] {
  return kind === 'not_recorded' || (kind === undefined && (kernel_drops || disk_drops || unwritten_calls))
    ? 'lost'
    : 'unindexed'
}

function textOf(span: IncompleteSpan): string {
  const { kernel_drops, disk_drops, unwritten_calls } = span
  if (span.detail !== undefined || span.reason !== undefined) return incompleteLine(span)
  if (kernel_drops) return incompleteLine({ ...span, detail: `the kernel dropped ${kernel_drops} packets` })
  if (disk_drops) return incompleteLine({ ...span, detail: `the disk did not take ${disk_drops} packets` })
  if (unwritten_calls)
    return incompleteLine({ ...span, detail: `the index could not write ${unwritten_calls} calls` })
  return incompleteLine(span)
}
