import { ACKED_UNSEEN, END, KNOWN, NEXT } from './tcp-row.ts'

/** No window is this large: a number further ahead belongs to another stream. */
export const MAX_AHEAD = 1 << 26

/**
 * Whether an acknowledgement covers bytes of that end that were not captured yet. A capture of several queues, or a
 * merged one, may have them some packets later.
 */
export function isAhead(ints: Int32Array, end: number, ack: number): boolean {
  const ahead = (ack - ints[end + NEXT]) | 0
  return ahead > 0 && ahead <= MAX_AHEAD && (ints[end + END] & (KNOWN | ACKED_UNSEEN)) === KNOWN
}
