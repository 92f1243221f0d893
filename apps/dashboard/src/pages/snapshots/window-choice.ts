import type { SnapshotWindow } from '../../client/hub.ts'

/** What the form holds: a length back from now, or two times as the browser's inputs write them. */
export interface WindowChoice {
  readonly kind: 'duration' | 'range'
  readonly duration: string
  readonly from: string
  readonly to: string
}

export const presets = ['1m', '5m', '15m', '1h', '6h', '1d'] as const

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function durationMs(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, , unit] of text.matchAll(/(\d+(\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(amount) * (units[unit ?? ''] ?? 0)
  return total > 0 ? total : undefined
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
