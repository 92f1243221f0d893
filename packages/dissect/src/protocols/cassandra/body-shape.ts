import type { CqlCursor } from './cql-cursor.ts'
import { FLAG } from './envelope.ts'
import { isErrorCode } from './error-code.ts'
import { isSaidBy, KIND, OPCODE } from './opcode.ts'

/** Ids of prepared statements are MD5 sums, with every server that speaks this protocol. */
const ID = 16
const MAX_COLUMNS = 0xffff

/** Does a body of `length` bytes begin as that message does? Throws `Malformed` where it ends too early to tell. */
export function isBody(opcode: number, flags: number, cursor: CqlCursor, length: number): boolean {
  const before = cursor.at
  skipExtras(opcode, flags, cursor)
  const left = length - (cursor.at - before)
  switch (opcode) {
    case OPCODE.OPTIONS:
    case OPCODE.READY:
      return left === 0
    case OPCODE.STARTUP:
    case OPCODE.SUPPORTED: {
      const count = cursor.short()
      return count > 0 && count < 64 && isKeyword(cursor, left - 2)
    }
    case OPCODE.REGISTER: {
      const count = cursor.short()
      return count > 0 && count < 16 && isKeyword(cursor, left - 2)
    }
    case OPCODE.EVENT:
      return isKeyword(cursor, left)
    case OPCODE.QUERY:
      return isStatement(cursor, left - 3)
    case OPCODE.PREPARE:
      return isStatement(cursor, left)
    case OPCODE.EXECUTE:
      return cursor.short() === ID && left >= 2 + ID + 3
    case OPCODE.BATCH:
      return cursor.byte() <= 2 && cursor.short() > 0 && cursor.byte() <= 1
    case OPCODE.AUTH_RESPONSE:
    case OPCODE.AUTH_CHALLENGE:
    case OPCODE.AUTH_SUCCESS: {
      const token = cursor.int()
      return token === left - 4 || (token < 0 && left === 4)
    }
    case OPCODE.AUTHENTICATE:
      return cursor.short() === left - 2 && isPrintable(cursor.byte())
    case OPCODE.ERROR:
      return isErrorCode(cursor.int()) && cursor.short() <= left - 6
    default:
      return isResult(cursor, left)
  }
}

/** What flags put before the message itself. */
export function skipExtras(opcode: number, flags: number, cursor: CqlCursor): void {
  if ((flags & FLAG.TRACING) !== 0 && isSaidBy(opcode, 1)) cursor.skip(16)
  if ((flags & FLAG.WARNING) !== 0) cursor.skipStringList()
  if ((flags & FLAG.PAYLOAD) !== 0) cursor.skipBytesMap()
}

function isResult(cursor: CqlCursor, left: number): boolean {
  switch (cursor.int()) {
    case KIND.VOID:
      return left === 4
    case KIND.ROWS:
      return cursor.int() >>> 0 <= 0xf && cursor.int() >>> 0 <= MAX_COLUMNS
    case KIND.SET_KEYSPACE:
      return cursor.short() === left - 6
    case KIND.PREPARED:
      return cursor.short() === ID
    case KIND.SCHEMA_CHANGE:
      return isKeyword(cursor, left - 4)
    default:
      return false
  }
}

/** A text that begins with two capitals, as the names of options, events and changes do. */
function isKeyword(cursor: CqlCursor, left: number): boolean {
  const length = cursor.short()
  if (length < 2 || length > 64 || length > left - 2) return false
  return isCapital(cursor.byte()) && isCapital(cursor.byte())
}

function isStatement(cursor: CqlCursor, left: number): boolean {
  const length = cursor.int()
  if (length < 2 || length > left - 4) return false
  return isPrintable(cursor.byte()) && isPrintable(cursor.byte())
}

function isCapital(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d
}
