import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { HEADER, int24 } from './bytes.ts'
import { isCompressed } from './compression.ts'
import { evidence, IMPOSSIBLE, PROOF, UNDECIDED } from './evidence.ts'

export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  const verdict = probeRun(bytes, start, end, side)
  if (verdict === 'yes') return verdict
  const compressed = isCompressed(bytes, start, end, side)
  return compressed === true ? 'yes' : compressed === 'more' && verdict === 'no' ? 'more' : verdict
}

/** Packets in a row, each of which fits, and those of the server with numbers that count up. */
export function probeRun(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  let found = 0
  let at = start
  while (at < end) {
    const next = evidence(bytes, at, end, side)
    if (next === IMPOSSIBLE) return 'no'
    if (next === UNDECIDED) return 'more'
    found += next
    if (found >= PROOF) return 'yes'
    const sequence = bytes[at + 3]
    at += HEADER + int24(bytes, at)
    if (side === 1 && at + 3 < end && bytes[at + 3] !== ((sequence + 1) & 255) && bytes[at + 3] !== 1)
      return 'no'
  }
  return 'more'
}

/** The next place after lost bytes where packets that fit follow one another. */
export function resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (endsWell(bytes, start, end, side)) return start
  for (let at = start; at + HEADER < end; at++) {
    // Of the packets that are found again most are shorter than 64 KB.
    if (bytes[at + 2] === 0 && probeRun(bytes, at, end, side) === 'yes') return at
  }
  return -1
}

/** The same where packets are compressed. */
export function resyncCompressed(bytes: Uint8Array, start: number, end: number, side: Side): number {
  for (let at = start; at + HEADER < end; at++)
    if (bytes[at + 2] === 0 && isCompressed(bytes, at, end, side) === true) return at
  return -1
}

/** Lost bytes mostly end with a packet: one that ends where these do is believed although it says little. */
function endsWell(bytes: Uint8Array, start: number, end: number, side: Side): boolean {
  let at = start
  while (at < end) {
    if (evidence(bytes, at, end, side) < 2) return false
    at += HEADER + int24(bytes, at)
  }
  return at === end
}
