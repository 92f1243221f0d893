import type { Flow, Side } from '@tapdeck/wire'
import { UNTIL_CLOSE } from '../dissector.ts'
import type { HalfStream } from './half-stream.ts'

/** Bits of a flow while one of its sides ends: by a reset, or by its own close; and that side is the protocol's server. */
const RESET = 32
const CLOSED = 64
const SERVER = 128
export const ENDS = RESET | CLOSED | SERVER

/** What the end of a side of the flow means for what it was saying. What lasts until the end is whole then. */
export function endOf({ closed, closedBy }: Flow, half: HalfStream, side: Side): number {
  if (half.length === UNTIL_CLOSE) return 0
  const server = half.side === 1 ? SERVER : 0
  if (closed === 'reset') return RESET | server
  // Whoever was told goodbye may stop in the middle: nobody listens any more. And a capture may end before the answer does.
  return closedBy === side && (closed === undefined || closed === 'fin') ? CLOSED | server : 0
}

/** Why an answer to that side of the protocol has no end, where it ended with its connection. */
export function cutAnswer(ends: number, side: Side): string | undefined {
  if ((ends & (RESET | CLOSED)) === 0 || ((ends & SERVER) !== 0) !== (side === 0)) return undefined
  return `response cut off: connection ${ends & RESET ? 'reset' : 'closed'}`
}
