import { Malformed, type Side } from '@tapdeck/wire'
import { unlz4 } from '../../compression/lz4.ts'
import type { Verdict } from '../../contract/dissector.ts'
import { isBody } from './body-shape.ts'
import { unfold } from './compression.ts'
import { CqlCursor } from './cql-cursor.ts'
import { bodyLength, FLAG, HEADER, isHeader, streamOf } from './envelope.ts'
import { OPCODE } from './opcode.ts'
import { payloadEnd, SEGMENT_HEADER, type Segment, segmentAt } from './segment.ts'

/** What is unfolded of a compressed message to see whether it makes sense, and how much of it must be there. */
const GLIMPSE = 256
const ENOUGH = 64

/** A header that names a message this side may send, and a body that begins as that message does; or a segment of them. */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (end - start >= SEGMENT_HEADER) {
    const segment = segmentAt(bytes, start)
    if (segment !== undefined) return probeSegment(segment, bytes, start, end, side)
  }
  if (!isHeader(bytes, start, end, side)) return end - start < SEGMENT_HEADER ? 'more' : 'no'
  if (end - start < HEADER) return 'more'
  return probeBody(bytes, start, end)
}

function probeBody(bytes: Uint8Array, start: number, end: number): Verdict {
  const version = bytes[start] & 0x7f
  const flags = bytes[start + 1]
  const opcode = bytes[start + 4]
  const length = bodyLength(bytes, start)
  if (streamOf(bytes, start) < 0 !== (opcode === OPCODE.EVENT)) return 'no'
  const from = start + HEADER
  const stop = Math.min(end, from + length)
  if ((flags & FLAG.COMPRESSED) === 0 || version === 5)
    return verdict(
      () => isBody(opcode, flags, new CqlCursor(bytes, from, stop), length),
      stop - from < length,
    )
  if (opcode === OPCODE.STARTUP || length < 2) return 'no'
  if (stop - from < Math.min(length, ENOUGH)) return 'more'
  const unfolded = unfold(bytes, from, stop, GLIMPSE, undefined)
  if (unfolded === undefined) return 'no'
  const cut = unfolded.bytes.length < unfolded.size
  return verdict(() => isBody(opcode, flags, new CqlCursor(unfolded.bytes), unfolded.size), cut && stop < end)
}

/** A part from the middle of a message does not say whose it is: the next may. */
function probeSegment(segment: Segment, bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  const from = start + segment.header
  const stop = payloadEnd(start, end, segment)
  const whole = end - start >= segment.length
  const inner =
    segment.unfolded === 0
      ? bytes.subarray(from, stop)
      : unlz4(bytes, from, stop, Math.min(segment.unfolded, GLIMPSE))
  if (inner === undefined) return 'no'
  if (inner.length < HEADER) return whole ? 'no' : 'more'
  return inner[0] % 128 === 5 && isHeader(inner, 0, inner.length, side) ? 'yes' : 'no'
}

function verdict(check: () => boolean, cut: boolean): Verdict {
  try {
    return check() ? 'yes' : 'no'
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return cut ? 'more' : 'no'
  }
}

/** Where the next message or segment could begin; -1: nowhere here. */
export function resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
  for (let at = start; at + HEADER <= end; at++) {
    if (segmentAt(bytes, at) !== undefined) return at
    if (isHeader(bytes, at, end, side) && probeBody(bytes, at, end) === 'yes') return at
  }
  return -1
}
