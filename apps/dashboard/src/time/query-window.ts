import { lastWindow, type Span, type TimeWindow } from './time-window.ts'

/** The source and the time of a view. */
export interface TimePlace {
  readonly db: string | undefined
  readonly start: number | undefined
  readonly end: number | undefined
  readonly last: Span
}

/** The window moves with the clock: live traffic without fixed times. */
export function isMoving({ db, start, end }: TimePlace): boolean {
  return db === undefined && start === undefined && end === undefined
}

/** The window to ask the hub for. A dissection without times is asked for all of it. */
export function queryWindow(place: TimePlace, now: number): Partial<TimeWindow> {
  if (isMoving(place)) return lastWindow(place.last, now)
  const { start, end } = place
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
}
