import { Malformed } from '@tapdeck/wire'

const LF = 0x0a
/** RFC 1413 §5 */
const LONGEST = 1000

/** A line, with its end; 0 while that is not there. */
export function lineLength(bytes: Uint8Array, start: number, end: number): number {
  const stop = Math.min(end, start + LONGEST)
  for (let at = start; at < stop; at++) if (bytes[at] === LF) return at + 1 - start
  if (end - start >= LONGEST) throw new Malformed('line too long')
  return 0
}

/** After lost bytes: the beginning of a line. */
export function nextLine(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++)
    if ((at === start || bytes[at - 1] === LF) && bytes[at] >= 0x30 && bytes[at] <= 0x39) return at
  return -1
}
