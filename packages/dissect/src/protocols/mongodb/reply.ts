import { Elements, TYPE } from './bson.ts'
import { stringAt } from './bson-value.ts'
import { int32 } from './frame.ts'
import { layoutOf } from './layout.ts'
import { OPCODE } from './opcode.ts'

/** How a command went. */
export interface Reply {
  ok?: boolean
  code?: number
  code_name?: string
  error?: string
  /** The flags of an OP_REPLY say so. */
  flagged?: boolean
}

/** Bits of an OP_REPLY's flags. */
const CURSOR_NOT_FOUND = 1
const QUERY_FAILURE = 2

/** Reads the payload `bytes[start, end)` of a reply. */
export function readReply(opcode: number, bytes: Uint8Array, start: number, end: number): Reply {
  const { document } = layoutOf(opcode, bytes, start, end)
  const result: Reply = {}
  const flags = opcode === OPCODE.REPLY && end - start >= 4 ? int32(bytes, start) : 0
  if (document >= 0 && readOutcome(bytes, document, end, result) && opcode === OPCODE.COMMAND_REPLY)
    readOutcome(bytes, document + int32(bytes, document), end, result)
  if (opcode !== OPCODE.REPLY || end - start < 20) return result
  if (flags & CURSOR_NOT_FOUND) return { ok: false, code: 43, code_name: 'CursorNotFound', flagged: true }
  if (flags & QUERY_FAILURE) return { ...result, ok: false, flagged: true }
  result.ok ??= true
  return result
}

/** False where the document is cut. */
function readOutcome(bytes: Uint8Array, start: number, end: number, into: Reply): boolean {
  if (start + 5 > end) return false
  const elements = new Elements(bytes, start, end)
  const partial: Reply = {}
  let cursor = false
  while (elements.next()) {
    const { type, value, stop, whole } = elements
    if (elements.is('cursor')) cursor = true
    if (!whole) break
    if (elements.is('ok')) into.ok = numberAt(type, bytes, value) !== 0
    else if (elements.is('code')) into.code = numberAt(type, bytes, value)
    else if (type === TYPE.STRING) {
      const text = elements.is('errmsg') || elements.is('$err') || elements.is('err')
      if (text) into.error = stringAt(bytes, value, stop)
      else if (elements.is('codeName')) into.code_name = stringAt(bytes, value, stop)
    } else if (type === TYPE.ARRAY && elements.is('writeErrors')) firstOf(bytes, value, stop, partial)
    else if (type === TYPE.DOCUMENT && elements.is('writeConcernError'))
      if (partial.ok === undefined) failed(bytes, value, stop, partial)
  }
  // Failures are short; a long reply that begins with its cursor went well, though that is said at its end.
  if (into.ok === undefined && elements.cut && cursor) into.ok = true
  if (into.ok !== false && partial.ok === false) Object.assign(into, partial)
  // getLastError: it went well itself, and tells that the write before it did not.
  if (into.ok === true && into.error !== undefined) into.ok = false
  return !elements.cut
}

function firstOf(bytes: Uint8Array, start: number, end: number, into: Reply): void {
  const elements = new Elements(bytes, start, end)
  if (elements.next() && elements.type === TYPE.DOCUMENT) failed(bytes, elements.value, elements.stop, into)
}

function failed(bytes: Uint8Array, start: number, end: number, into: Reply): void {
  const elements = new Elements(bytes, start, end)
  into.ok = false
  while (elements.next()) {
    const { type, value, stop } = elements
    if (elements.is('code')) into.code = numberAt(type, bytes, value)
    else if (type === TYPE.STRING && elements.is('errmsg')) into.error = stringAt(bytes, value, stop)
    else if (type === TYPE.STRING && elements.is('codeName')) into.code_name = stringAt(bytes, value, stop)
  }
}

function numberAt(type: number, bytes: Uint8Array, at: number): number {
  if (type === TYPE.INT32) return int32(bytes, at)
  if (type === TYPE.BOOLEAN) return bytes[at]
  if (type === TYPE.INT64) return int32(bytes, at + 4) * 2 ** 32 + (int32(bytes, at) >>> 0)
  if (type !== TYPE.DOUBLE) return 0
  const value = new DataView(bytes.buffer, bytes.byteOffset + at, 8).getFloat64(0, true)
  return Number.isFinite(value) ? value : 0
}
