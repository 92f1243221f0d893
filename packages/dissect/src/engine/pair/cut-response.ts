import type { Flow, Side } from '@tapdeck/wire'
import { UNTIL_CLOSE } from '../../contract/dissector.ts'
import type { DirectionBuffer } from '../frame/direction-buffer.ts'

/** Bits for a side that ends: by a reset, or by its own close; and whether it is the protocol's server. */
const RESET = 32
const CLOSED = 64
const SERVER = 128
export const END_BITS = RESET | CLOSED | SERVER

/** The bits for the end of a side. A frame that lasts until the close is complete then. */
export function endBits({ closed, closedBy }: Flow, direction: DirectionBuffer, side: Side): number {
  if (direction.length === UNTIL_CLOSE) return 0
  const server = direction.side === 1 ? SERVER : 0
  if (closed === 'reset') return RESET | server
  // A side that was closed by its peer may stop in the middle. And a capture may end before the response does.
  return closedBy === side && (closed === undefined || closed === 'fin') ? CLOSED | server : 0
}

/** Why a response to that side is incomplete, if its connection ended. */
export function cutResponseReason(ends: number, side: Side): string | undefined {
  if ((ends & (RESET | CLOSED)) === 0 || ((ends & SERVER) !== 0) !== (side === 0)) return undefined
  return `response cut off: connection ${ends & RESET ? 'reset' : 'closed'}`
}
