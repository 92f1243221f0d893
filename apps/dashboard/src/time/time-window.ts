import { parseDuration } from '@tapdeck/units'

/** From one time to another, in Unix milliseconds. */
export interface TimeWindow {
  readonly start: number
  readonly end: number
}

/** How far back a moving window reaches. */
export const spans = ['5m', '15m', '1h', '6h', '24h'] as const

export type Span = (typeof spans)[number]

export const DEFAULT_SPAN: Span = '15m'

/** A window of less shows nothing more. */
const SHORTEST_MS = 1000

export function isSpan(text: string | null): text is Span {
  return spans.some((span) => span === text)
}

export function spanMs(span: Span): number {
  return parseDuration(span) ?? 0
}

/** The window that ends now. */
export function lastWindow(span: Span, now: number): TimeWindow {
  return { start: now - spanMs(span), end: now }
}

/** Twice the window around its middle, but not into the future. */
export function zoomOut({ start, end }: TimeWindow, now: number): TimeWindow {
  const length = Math.max(end - start, SHORTEST_MS)
  const latest = Math.max(Math.min(end + length / 2, now), end)
  return whole({ start: latest - 2 * length, end: latest })
}

/** The window between two points of a chart, in either order; nothing where it is too short to show anything. */
export function brushed(a: number, b: number): TimeWindow | undefined {
  const window = whole({ start: Math.min(a, b), end: Math.max(a, b) })
  return window.end - window.start < SHORTEST_MS ? undefined : window
}

function whole({ start, end }: TimeWindow): TimeWindow {
  return { start: Math.floor(start), end: Math.ceil(end) }
}
