import type { Side } from '@tapdeck/wire'
import { verbOf } from '../../sql/verb.ts'
import { int16, int32, textEnd } from './bytes.ts'
import { BACKEND, FRONTEND, HEADER } from './message-type.ts'

/** Messages that are longer are not believed where nothing else speaks for them. */
const MAX_LENGTH = 64 * 1024 * 1024
/** Of one message, or of several in a row: enough to say that this is PostgreSQL. */
export const PROOF = 4
/** Bytes that are enough to recognise a statement without its end. */
const TELLING = 12
export const IMPOSSIBLE = -1
export const UNDECIDED = 0

/**
 * How much the message at `at` speaks for PostgreSQL: its type, its length, and whether what it holds fits into
 * that length to the byte. `IMPOSSIBLE`: it is none. `UNDECIDED`: its end is not there.
 */
export function evidence(bytes: Uint8Array, at: number, end: number, side: Side): number {
  if (end - at < HEADER) return UNDECIDED
  const length = int32(bytes, at + 1)
  if (length < 4 || length > MAX_LENGTH) return IMPOSSIBLE
  const start = at + HEADER
  const stop = at + 1 + length
  return side === 0
    ? ofFrontend(bytes, bytes[at], start, stop, end)
    : ofBackend(bytes, bytes[at], start, stop, end)
}

function ofFrontend(bytes: Uint8Array, type: number, start: number, stop: number, end: number): number {
  const whole = stop <= end
  switch (type) {
    case FRONTEND.query:
      if (!whole) return begun(bytes, start, end)
      return stop > start && textEnd(bytes, start, stop) === stop - 1 && isText(bytes, start, stop - 1)
        ? PROOF
        : IMPOSSIBLE
    case FRONTEND.parse: {
      const query = textEnd(bytes, start, Math.min(stop, end)) + 1
      if (!isText(bytes, start, Math.min(query - 1, end))) return IMPOSSIBLE
      if (!whole) return query < end ? begun(bytes, query, end) : UNDECIDED
      const after = textEnd(bytes, query, stop) + 1
      return after + 2 <= stop && after + 2 + 4 * int16(bytes, after) === stop ? PROOF : IMPOSSIBLE
    }
    case FRONTEND.bind:
      return whole ? (bindEnd(bytes, start, stop) === stop ? PROOF : IMPOSSIBLE) : UNDECIDED
    case FRONTEND.describe:
    case FRONTEND.close:
      if (start < end && bytes[start] !== 0x53 && bytes[start] !== 0x50) return IMPOSSIBLE
      if (!whole) return stop - start > 1024 ? IMPOSSIBLE : UNDECIDED
      return stop - start >= 2 && textEnd(bytes, start + 1, stop) === stop - 1 ? 2 : IMPOSSIBLE
    case FRONTEND.execute:
      if (!whole) return stop - start > 1024 ? IMPOSSIBLE : UNDECIDED
      return textEnd(bytes, start, stop) === stop - 5 ? 2 : IMPOSSIBLE
    case FRONTEND.flush:
    case FRONTEND.sync:
    case FRONTEND.terminate:
    case FRONTEND.copyDone:
      return stop === start ? 2 : IMPOSSIBLE
    case FRONTEND.copyFail:
      return whole ? (textEnd(bytes, start, stop) === stop - 1 ? 2 : IMPOSSIBLE) : UNDECIDED
    case FRONTEND.copyData:
    case FRONTEND.functionCall:
      return whole ? 1 : UNDECIDED
    default:
      return IMPOSSIBLE
  }
}

function ofBackend(bytes: Uint8Array, type: number, start: number, stop: number, end: number): number {
  const whole = stop <= end
  switch (type) {
    case BACKEND.readyForQuery:
      if (stop - start !== 1) return IMPOSSIBLE
      return whole ? (isTransactionState(bytes[start]) ? PROOF : IMPOSSIBLE) : UNDECIDED
    case BACKEND.parseComplete:
    case BACKEND.bindComplete:
    case BACKEND.closeComplete:
    case BACKEND.noData:
    case BACKEND.portalSuspended:
    case BACKEND.emptyQuery:
    case BACKEND.copyDone:
      return stop === start ? 2 : IMPOSSIBLE
    case BACKEND.commandComplete:
      if (stop - start > 72 || stop - start < 2) return IMPOSSIBLE
      if (start < end && (bytes[start] < 0x41 || bytes[start] > 0x5a)) return IMPOSSIBLE
      return whole ? (isTag(bytes, start, stop) ? PROOF : IMPOSSIBLE) : UNDECIDED
    case BACKEND.dataRow:
      return whole ? (rowEnd(bytes, start, stop) === stop ? 3 : IMPOSSIBLE) : UNDECIDED
    case BACKEND.rowDescription:
      return whole ? (columnsEnd(bytes, start, stop) === stop ? PROOF : IMPOSSIBLE) : UNDECIDED
    case BACKEND.error:
    case BACKEND.notice:
      if (start < end && bytes[start] !== 0x53) return IMPOSSIBLE
      return whole ? (errorEnd(bytes, start, stop) === stop ? PROOF : IMPOSSIBLE) : UNDECIDED
    case BACKEND.parameterStatus:
    case BACKEND.notification: {
      const from = type === BACKEND.notification ? start + 4 : start
      if (!whole) return stop - start > 16 * 1024 ? IMPOSSIBLE : UNDECIDED
      const value = textEnd(bytes, from, stop) + 1
      return value > from + 1 && value < stop && textEnd(bytes, value, stop) === stop - 1 ? PROOF : IMPOSSIBLE
    }
    case BACKEND.authentication:
      if (stop - start < 4 || stop - start > 4096) return IMPOSSIBLE
      return end - start < 4 ? UNDECIDED : int32(bytes, start) >>> 0 <= 12 ? 2 : IMPOSSIBLE
    case BACKEND.backendKeyData:
      return stop - start < 8 || stop - start > 260 ? IMPOSSIBLE : 2
    case BACKEND.parameterDescription:
      if (!whole) return UNDECIDED
      return stop - start >= 2 && start + 2 + 4 * int16(bytes, start) === stop ? 2 : IMPOSSIBLE
    case BACKEND.copyIn:
    case BACKEND.copyOut:
    case BACKEND.copyBoth:
      if (!whole) return UNDECIDED
      return stop - start >= 3 && bytes[start] <= 1 && start + 3 + 2 * int16(bytes, start + 1) === stop
        ? 3
        : IMPOSSIBLE
    case BACKEND.copyData:
    case BACKEND.functionResult:
    case BACKEND.negotiate:
      return whole ? 1 : UNDECIDED
    default:
      return IMPOSSIBLE
  }
}

/** A statement whose end is not there. */
function begun(bytes: Uint8Array, start: number, end: number): number {
  if (!isText(bytes, start, end)) return IMPOSSIBLE
  if (end - start < TELLING) return UNDECIDED
  return verbOf(bytes, start, end) === undefined ? UNDECIDED : PROOF
}

function isText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x09 && byte !== 0x0d && byte !== 0x0c && byte !== 0x0b)
      return false
  }
  return true
}

function isTag(bytes: Uint8Array, start: number, stop: number): boolean {
  if (bytes[stop - 1] !== 0) return false
  for (let at = start; at < stop - 1; at++) {
    const byte = bytes[at]
    if (byte < 0x20 || byte > 0x7e) return false
  }
  return true
}

export function isTransactionState(byte: number): boolean {
  return byte === 0x49 || byte === 0x54 || byte === 0x45
}

/** Where the values of a row end; -1 where they do not. */
function rowEnd(bytes: Uint8Array, start: number, stop: number): number {
  if (stop - start < 2) return -1
  return valuesEnd(bytes, start + 2, stop, int16(bytes, start))
}

function valuesEnd(bytes: Uint8Array, start: number, stop: number, count: number): number {
  let at = start
  for (let i = 0; i < count; i++) {
    if (at + 4 > stop) return -1
    const length = int32(bytes, at)
    if (length < -1) return -1
    at += 4 + Math.max(0, length)
  }
  return at
}

function columnsEnd(bytes: Uint8Array, start: number, stop: number): number {
  if (stop - start < 2) return -1
  let at = start + 2
  for (let i = int16(bytes, start); i > 0; i--) {
    at = textEnd(bytes, at, stop) + 19
    if (at > stop) return -1
  }
  return at
}

function errorEnd(bytes: Uint8Array, start: number, stop: number): number {
  let at = start
  while (at < stop && bytes[at] !== 0) {
    if (bytes[at] < 0x41 || bytes[at] > 0x7a) return -1
    at = textEnd(bytes, at + 1, stop) + 1
  }
  return at + 1
}

function bindEnd(bytes: Uint8Array, start: number, stop: number): number {
  let at = textEnd(bytes, start, stop) + 1
  at = textEnd(bytes, at, stop) + 1
  at = formatsEnd(bytes, at, stop)
  if (at < 0 || at + 2 > stop) return -1
  at = valuesEnd(bytes, at + 2, stop, int16(bytes, at))
  return at < 0 || at > stop ? -1 : formatsEnd(bytes, at, stop)
}

function formatsEnd(bytes: Uint8Array, start: number, stop: number): number {
  if (start + 2 > stop) return -1
  const after = start + 2 + 2 * int16(bytes, start)
  if (after > stop) return -1
  for (let at = start + 2; at < after; at += 2) if (int16(bytes, at) > 1) return -1
  return after
}
