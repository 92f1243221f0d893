import { parseDuration } from '@tapdeck/units'
import type { SnapshotWindow } from '../client/hub.ts'

/** What the form holds: a length back from now, or two times as the browser's inputs write them. */
export interface WindowChoice {
  readonly kind: 'duration' | 'range'
  readonly duration: string
  readonly from: string
  readonly to: string
}

export const presets = ['1m', '5m', '15m', '1h', '6h', '1d'] as const

/** Milliseconds of a duration of more than nothing. */
export function durationMs(text: string): number | undefined {
  const ms = parseDuration(text) ?? 0
  return ms > 0 ? ms : undefined
}

/** The window that the hub is asked for, or why the choice is none. */
export function readChoice(choice: WindowChoice): SnapshotWindow | { readonly problem: string } {
  if (choice.kind === 'duration') {
    const duration = choice.duration.trim()
    if (durationMs(duration) === undefined)
      return { problem: 'Write a duration as in 90s, 30m, 1h30m or 2d.' }
    return { duration }
  }
  const start = new Date(choice.from).getTime()
  const end = new Date(choice.to).getTime()
  if (Number.isNaN(start) || Number.isNaN(end)) return { problem: 'Give both times.' }
  if (end <= start) return { problem: 'The end must come after the start.' }
  return { start, end }
}

/** Whether a window reaches beyond what is recorded, so that the snapshot will be partial. */
export function reachesBeyond(window: SnapshotWindow, oldest: number, newest: number): boolean {
  if ('duration' in window) return newest - (durationMs(window.duration) ?? 0) < oldest
  return window.start < oldest || window.end > newest
}
