import { Malformed, type Side } from '@tapdeck/wire'
import { int32 } from './bytes.ts'
import { HEADER } from './message-type.ts'
import { isFitting, isKnown } from './parts.ts'
import { MAX_STARTUP_LENGTH } from './probe.ts'

/** No server sends or takes more at once. */
const MAX_LENGTH = 0x3fffffff

/** Length of the message at `start`. */
export function frameLength(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (start === end) return 0
  const type = bytes[start]
  if (side === 0 && type === 0) return startupLength(bytes, start, end)
  if (!isKnown(type, side)) throw new Malformed('unknown message type')
  if (end - start < HEADER) return 0
  const length = int32(bytes, start + 1)
  if (length < 4 || length > MAX_LENGTH) throw new Malformed('impossible message length')
  if (!isFitting(bytes, start, end, length, side)) throw new Malformed('wrong message length')
  return length + 1
}

function startupLength(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 4) return 0
  const length = int32(bytes, start)
  if (length < 8 || length > MAX_STARTUP_LENGTH) throw new Malformed('impossible startup packet')
  return length
}
