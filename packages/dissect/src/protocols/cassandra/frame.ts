import { Malformed, type Side } from '@tapdeck/wire'
import { bodyLength, HEADER, isHeader } from './envelope.ts'
import { segmentAt } from './segment.ts'

/** A message, or a segment of version 5. A segment is known by the checksum of its header, whatever went before it. */
export function frameLength(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (end - start < HEADER) return 0
  const segment = segmentAt(bytes, start)
  if (segment !== undefined) return segment.length
  if (!isHeader(bytes, start, end, side)) throw new Malformed('no message header')
  return HEADER + bodyLength(bytes, start)
}
