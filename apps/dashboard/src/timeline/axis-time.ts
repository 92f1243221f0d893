import { dateTime } from '../format/time.ts'

const MINUTES = 600
const DAYS = 36 * 3600
/** Widest digit of the font of the axis. */
const DIGIT_PX = 7

/** A time on an axis, as exact as the length of the window asks for. All in seconds. */
export function axisTime(at: number, [start, end]: readonly [number, number]): string {
  const text = dateTime(at * 1000)
  const length = end - start
  if (length <= MINUTES) return text.slice(11)
  return length <= DAYS ? text.slice(11, 16) : text.slice(5, 16)
}

/** The labels of a time axis. Those that would stick out into the labels of the other axes are empty. */
export function axisTimes(
  times: readonly number[],
  window: readonly [number, number],
  widthPx: number,
): string[] {
  const [start, end] = window
  return times.map((at) => {
    const text = axisTime(at, window)
    const middle = ((at - start) / (end - start)) * widthPx
    const half = (text.length * DIGIT_PX) / 2
    return middle < half || middle > widthPx - half ? '' : text
  })
}
