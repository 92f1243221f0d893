import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { frameLength, weigh } from './frame.ts'

/** Enough weight to be certain. */
const ENOUGH = 3
const MAX_PACKETS = 64

/** A CONNECT, its answer, or packets from the middle of a connection: the weaker they are, the more of them. */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  let weight = 0
  let at = start
  for (let packets = 0; packets < MAX_PACKETS && at < end; packets++) {
    const one = weigh(bytes, at, end, side)
    if (one === 0) return 'no'
    if (one < 0) return 'more'
    weight += one
    if (weight >= ENOUGH) return 'yes'
    at += frameLength(bytes, at, end, side)
  }
  // What answers a CONNECT stands alone for a while.
  return weight === 2 && at === end ? 'yes' : 'more'
}
