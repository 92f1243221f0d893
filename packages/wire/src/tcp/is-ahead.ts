import { END, KNOWN, NEXT, VAIN } from './tcp-row.ts'

/** Beyond what is known of an end, no window reaches this far: what is told of it belongs to something else. */
export const MAX_AHEAD = 1 << 26

/**
 * Whether an acknowledgement tells of bytes of that end that nobody saw yet. A capture of several queues, or a merged one,
 * may have them some packets later; one that lost them never will.
 */
export function isAhead(ints: Int32Array, end: number, ack: number): boolean {
  const ahead = (ack - ints[end + NEXT]) | 0
  return ahead > 0 && ahead <= MAX_AHEAD && (ints[end + END] & (KNOWN | VAIN)) === KNOWN
}
