import { dateTime } from '../format/time.ts'

const MINUTES = 600
const DAYS = 36 * 3600

/** A time on an axis, as exact as the length of the window asks for. All in seconds. */
export function axisTime(at: number, [start, end]: readonly [number, number]): string {
  const text = dateTime(at * 1000)
  const length = end - start
  if (length <= MINUTES) return text.slice(11)
  return length <= DAYS ? text.slice(11, 16) : text.slice(5, 16)
}
