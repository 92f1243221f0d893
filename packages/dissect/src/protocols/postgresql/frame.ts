import { Malformed, type Side } from '@tapdeck/wire'
import { int32 } from './bytes.ts'
import { BACKEND, FRONTEND, HEADER } from './message-type.ts'
import { LONGEST_STARTUP } from './probe.ts'
import { isTransactionState } from './shape.ts'

/** No server sends or takes more at once. */
const LONGEST = 0x3fffffff
const NONE = -1

const KNOWN: readonly [Uint8Array, Uint8Array] = [
  table(Object.values(FRONTEND)),
  table(Object.values(BACKEND)),
]

function table(types: readonly number[]): Uint8Array {
  const known = new Uint8Array(256)
  for (const type of types) known[type] = 1
  return known
}

/**
 * Where the messages end that stand whole in these bytes and have a type, from `start` on. What is odd ends them as well:
 * that is for whoever reads it first.
 */
export function wholeEnd(bytes: Uint8Array, start: number, end: number, side: Side): number {
  const known = KNOWN[side]
  let at = start
  while (at + HEADER <= end && known[bytes[at]] === 1) {
    const length = int32(bytes, at + 1)
    if (length < 4 || length > end - at - 1) break
    if (side === 1 && !isFixed(bytes, at, end, bytes[at], length + 1)) break
    at += length + 1
  }
  return at
}

/**
 * Where the message at `start` ends, with the rows or copied data after it. They stand whole in these bytes, which were
 * measured; what was not, such as a datagram, is one message to its end.
 */
export function partEnd(bytes: Uint8Array, start: number, end: number, side: Side): number {
  const type = bytes[start]
  let at = nextAt(bytes, start, end)
  const more =
    side === 1 && type === BACKEND.rowDescription ? BACKEND.dataRow : isRunning(type, side) ? type : NONE
  if (more !== NONE) while (at < end && bytes[at] === more) at = nextAt(bytes, at, end)
  return at
}

function nextAt(bytes: Uint8Array, at: number, end: number): number {
  const length = int32(bytes, at + 1)
  return length < 4 || length > end - at - 1 ? end : at + 1 + length
}

function isRunning(type: number, side: Side): boolean {
  return type === BACKEND.copyData || (side === 1 && type === BACKEND.dataRow)
}

/** Length of the message at `start`. */
export function frameLength(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (start === end) return 0
  const type = bytes[start]
  if (side === 0 && type === 0) return startupLength(bytes, start, end)
  if (KNOWN[side][type] === 0) throw new Malformed('unknown message type')
  if (end - start < HEADER) return 0
  const length = messageLength(bytes, start)
  if (side === 1 && !isFixed(bytes, start, end, type, length)) throw new Malformed('wrong message length')
  return length
}

function messageLength(bytes: Uint8Array, start: number): number {
  const length = int32(bytes, start + 1)
  if (length < 4 || length > LONGEST) throw new Malformed('impossible message length')
  return length + 1
}

/** Messages that are always the same length keep a stream of something else from being followed for long. */
function isFixed(bytes: Uint8Array, start: number, end: number, type: number, length: number): boolean {
  switch (type) {
    case BACKEND.readyForQuery:
      return length === HEADER + 1 && (end - start < length || isTransactionState(bytes[start + HEADER]))
    case BACKEND.parseComplete:
    case BACKEND.bindComplete:
    case BACKEND.closeComplete:
    case BACKEND.noData:
    case BACKEND.portalSuspended:
    case BACKEND.emptyQuery:
    case BACKEND.copyDone:
      return length === HEADER
    default:
      return true
  }
}

function startupLength(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 4) return 0
  const length = int32(bytes, start)
  if (length < 8 || length > LONGEST_STARTUP) throw new Malformed('impossible startup packet')
  return length
}
