import { Malformed, type Side } from '@tapdeck/wire'
import { int32 } from './bytes.ts'
import { BACKEND, FRONTEND, HEADER } from './message-type.ts'
import { LONGEST_STARTUP } from './probe.ts'
import { isTransactionState } from './shape.ts'

/** No server sends or takes more at once. */
const LONGEST = 0x3fffffff

const KNOWN: readonly [Uint8Array, Uint8Array] = [
  table(Object.values(FRONTEND)),
  table(Object.values(BACKEND)),
]

function table(types: readonly number[]): Uint8Array {
  const known = new Uint8Array(256)
  for (const type of types) known[type] = 1
  return known
}

/** Length of the message at `start`, with the rows or copied data after it that stand whole in these bytes. */
export function frameLength(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (start === end) return 0
  const type = bytes[start]
  if (side === 0 && type === 0) return startupLength(bytes, start, end)
  if (KNOWN[side][type] === 0) throw new Malformed('unknown message type')
  if (end - start < HEADER) return 0
  const length = messageLength(bytes, start)
  if (side === 1 && (type === BACKEND.dataRow || type === BACKEND.rowDescription))
    return runLength(bytes, start, start + length, end, BACKEND.dataRow)
  if (type === BACKEND.copyData) return runLength(bytes, start, start + length, end, type)
  if (side === 1) checkFixed(bytes, start, end, type, length)
  return length
}

function messageLength(bytes: Uint8Array, start: number): number {
  const length = int32(bytes, start + 1)
  if (length < 4 || length > LONGEST) throw new Malformed('impossible message length')
  return length + 1
}

function runLength(bytes: Uint8Array, start: number, first: number, end: number, type: number): number {
  let at = first
  while (at + HEADER <= end && bytes[at] === type) {
    const next = at + messageLength(bytes, at)
    if (next > end) break
    at = next
  }
  return at - start
}

/** Messages that are always the same length keep a stream of something else from being followed for long. */
function checkFixed(bytes: Uint8Array, start: number, end: number, type: number, length: number): void {
  switch (type) {
    case BACKEND.readyForQuery:
      if (length === HEADER + 1 && (end - start < length || isTransactionState(bytes[start + HEADER]))) return
      break
    case BACKEND.parseComplete:
    case BACKEND.bindComplete:
    case BACKEND.closeComplete:
    case BACKEND.noData:
    case BACKEND.portalSuspended:
    case BACKEND.emptyQuery:
    case BACKEND.copyDone:
      if (length === HEADER) return
      break
    default:
      return
  }
  throw new Malformed('wrong message length')
}

function startupLength(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 4) return 0
  const length = int32(bytes, start)
  if (length < 8 || length > LONGEST_STARTUP) throw new Malformed('impossible startup packet')
  return length
}
