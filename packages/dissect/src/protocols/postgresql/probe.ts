import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { int16, int32, textEnd } from './bytes.ts'
import { evidence, IMPOSSIBLE, PROOF, UNDECIDED } from './evidence.ts'
import { MAJOR_VERSION, SPECIAL } from './message-type.ts'

/** The longest startup packet that a server accepts. */
export const MAX_STARTUP_LENGTH = 10_000

export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (start === end) return 'more'
  return side === 0 && bytes[start] === 0
    ? probeStartup(bytes, start, end)
    : probeRun(bytes, start, end, side)
}

/** A message without a type: a length, then a version or one of three numbers that no version will ever be. */
function probeStartup(bytes: Uint8Array, start: number, end: number): Verdict {
  if (bytes[start + 1] !== 0 && end - start > 1) return 'no'
  if (end - start < 8) return 'more'
  const length = int32(bytes, start)
  const code = int32(bytes, start + 4)
  if (code === SPECIAL.ssl || code === SPECIAL.gss) return length === 8 ? 'yes' : 'no'
  if (code === SPECIAL.cancel) return length >= 16 && length <= 268 ? 'yes' : 'no'
  if (length < 9 || length > MAX_STARTUP_LENGTH || int16(bytes, start + 4) !== MAJOR_VERSION) return 'no'
  const stop = Math.min(end, start + length)
  const name = textEnd(bytes, start + 8, stop)
  for (let at = start + 8; at < name; at++) if (!isNameByte(bytes[at])) return 'no'
  if (name === start + 8) return stop > name ? 'no' : 'more'
  if (name === stop) return 'more'
  if (end - start < length) return 'more'
  return bytes[stop - 1] === 0 && bytes[stop - 2] === 0 ? 'yes' : 'no'
}

function isNameByte(byte: number): boolean {
  return byte === 0x5f || byte === 0x2e || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x7a)
}

/** Several messages in a row, each of which fits. */
function probeRun(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  let found = 0
  for (let at = start; at < end; at += 1 + int32(bytes, at + 1)) {
    const next = evidence(bytes, at, end, side)
    if (next === IMPOSSIBLE) return 'no'
    if (next === UNDECIDED) return 'more'
    found += next
    if (found >= PROOF) return 'yes'
  }
  return 'more'
}

/** The next place after lost bytes where messages that fit follow one another. */
export function resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (endsWell(bytes, start, end, side)) return start
  for (let at = start; at + 6 <= end; at++) {
    // Most bytes begin no length below 64 MB.
    if (bytes[at + 1] > 3 || bytes[at] < 0x31) continue
    if (probeRun(bytes, at, end, side) === 'yes') return at
  }
  return -1
}

/** Lost bytes mostly end with a message: one that ends where these do is believed although it says little. */
function endsWell(bytes: Uint8Array, start: number, end: number, side: Side): boolean {
  let at = start
  while (at < end) {
    if (evidence(bytes, at, end, side) < 2) return false
    at += 1 + int32(bytes, at + 1)
  }
  return at === end
}
