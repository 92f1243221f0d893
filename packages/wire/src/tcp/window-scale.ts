import { NO_SCALE } from './tcp-row.ts'

const END = 0
const NOTHING = 1
const WINDOW_SCALE = 3
/** RFC 7323: larger values count as this. */
const MAX_SHIFT = 14

/** The window scale among the options of a SYN in `data[at, end)`. */
export function windowScale(data: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; ) {
    const kind = data[at]
    if (kind === END) break
    if (kind === NOTHING) {
      at++
      continue
    }
    if (at + 1 >= end || data[at + 1] < 2) break
    if (kind === WINDOW_SCALE && data[at + 1] === 3 && at + 3 <= end) return Math.min(data[at + 2], MAX_SHIFT)
    at += data[at + 1]
  }
  return NO_SCALE
}
