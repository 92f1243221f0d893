import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import * as classic from './classic/frame.ts'
import * as modern from './modern/frame.ts'
import { PROTOCOL_HEADER, startsHeader } from './protocol-header.ts'

/** Frames without a name of their own (bodies, heartbeats) that are walked over on the way to one that has. */
const MAX_FRAMES = 64

/** A protocol header, or frames from the middle of a connection. */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (start === end) return 'more'
  if (startsHeader(bytes, start, end)) return end - start >= PROTOCOL_HEADER ? 'yes' : 'more'
  if (bytes[start] === 0) {
    const found = modern.likeness(bytes, start, end, side)
    return found === 'sure' ? 'yes' : found === 'partly' ? 'more' : 'no'
  }
  return probeClassic(bytes, start, end, side)
}

function probeClassic(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  let at = start
  for (let frames = 0; frames < MAX_FRAMES && at < end; frames++) {
    const found = classic.likeness(bytes, at, end, side)
    if (found === 'sure') return 'yes'
    if (found === 'none') return 'no'
    if (found === 'partly') return 'more'
    at += classic.HEADER + classic.sizeAt(bytes, at) + 1
  }
  return 'more'
}
