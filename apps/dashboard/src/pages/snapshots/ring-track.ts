import type { TimeWindow } from '../../time/time-window.ts'

interface RingGap {
  readonly from_ts: number
  readonly to_ts: number
  readonly reason: string
  readonly detail?: string | undefined
}

export interface RingNode {
  readonly name: string
  readonly oldest_ts: number | null
  readonly newest_ts: number | null
  readonly gaps?: readonly RingGap[] | undefined
}

/** A part of a track, in percent of its length. */
export interface TrackPart {
  readonly left: number
  readonly width: number
}

export interface RingTrack {
  readonly name: string
  /** What is recorded; absent where nothing is. */
  readonly recorded?: TrackPart
  readonly gaps: readonly (TrackPart & RingGap)[]
}

/** From the oldest packet of any node to the newest; nothing where none has recorded. */
export function ringRange(nodes: readonly RingNode[]): TimeWindow | undefined {
  const oldest = nodes.flatMap(({ oldest_ts }) => oldest_ts ?? [])
  const newest = nodes.flatMap(({ newest_ts }) => newest_ts ?? [])
  if (oldest.length === 0 || newest.length === 0) return undefined
  const start = oldest.reduce((least, time) => Math.min(least, time))
  const end = newest.reduce((most, time) => Math.max(most, time))
  return { start, end: Math.max(end, start + 1000) }
}

/** What each node has recorded on a common axis, and the gaps in it. */
export function ringTracks(nodes: readonly RingNode[], range: TimeWindow): readonly RingTrack[] {
  return nodes.map(({ name, oldest_ts, newest_ts, gaps = [] }) => {
    if (oldest_ts === null || newest_ts === null) return { name, gaps: [] }
    return {
      name,
      recorded: partOf(range, oldest_ts, newest_ts),
      gaps: gaps
        .filter(({ from_ts, to_ts }) => to_ts > oldest_ts && from_ts < newest_ts)
        .map((gap) => ({
          ...gap,
          ...partOf(range, Math.max(gap.from_ts, oldest_ts), Math.min(gap.to_ts, newest_ts)),
        })),
    }
  })
}

/** The same for a window that is chosen, cut to the axis. */
export function partOf({ start, end }: TimeWindow, from: number, to: number): TrackPart {
  const percent = (time: number) => (100 * (Math.min(Math.max(time, start), end) - start)) / (end - start)
  const left = percent(from)
  return { left, width: percent(to) - left }
}

/** The time at a place of the axis, 0 to 1. */
export function timeAt({ start, end }: TimeWindow, place: number): number {
  return start + (end - start) * Math.min(1, Math.max(0, place))
}
