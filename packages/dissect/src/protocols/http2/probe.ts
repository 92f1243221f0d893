import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { ENOUGH, evidence } from './evidence.ts'
import { HEADER, PREFACE, TYPE } from './frame.ts'

/**
 * A client begins with a preface that nothing else begins with; a server with SETTINGS. In the middle of a
 * connection, frames must follow one another long enough to be no coincidence.
 */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (side === 0 && bytes[start] === PREFACE[0]) return probePreface(bytes, start, end)
  const weight = evidence(bytes, start, end, side)
  if (weight >= ENOUGH) return 'yes'
  return weight < 0 ? 'no' : 'more'
}

export function probePreface(bytes: Uint8Array, start: number, end: number): Verdict {
  const length = Math.min(PREFACE.length, end - start)
  for (let i = 0; i < length; i++) if (bytes[start + i] !== PREFACE[i]) return 'no'
  return length === PREFACE.length ? 'yes' : 'more'
}

/**
 * Where frames begin again after lost bytes. The first bytes after them are at the start of a packet, and so often
 * of a frame: there less is asked for.
 */
export function resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (side === 0 && probePreface(bytes, start, end) === 'yes') return start
  if (endsWithFrame(bytes, start, end) && evidence(bytes, start, end, side) > 0) return start
  for (let at = start; at + HEADER <= end; at++) {
    if (bytes[at] !== 0 || bytes[at + 3] > TYPE.continuation) continue
    if (evidence(bytes, at, end, side) >= ENOUGH) return at
  }
  return -1
}

function endsWithFrame(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  while (end - at >= HEADER) at += HEADER + ((bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2])
  return at === end && at > start
}
