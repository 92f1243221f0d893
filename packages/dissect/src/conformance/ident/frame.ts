import { Malformed } from '@tapdeck/wire'

const LF = 0x0a
/** RFC 1413 §5 */
const MAX_LENGTH = 1000

/** The length of a line with its line break; 0 while the line break is missing. */
export function lineLength(bytes: Uint8Array, start: number, end: number): number {
  const stop = Math.min(end, start + MAX_LENGTH)
  for (let at = start; at < stop; at++) if (bytes[at] === LF) return at + 1 - start
  if (end - start >= MAX_LENGTH) throw new Malformed('line too long')
  return 0
}

/** The start of the next line after lost bytes. */
export function nextLine(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++)
    if ((at === start || bytes[at - 1] === LF) && bytes[at] >= 0x30 && bytes[at] <= 0x39) return at
  return -1
}
