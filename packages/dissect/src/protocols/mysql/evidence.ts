import type { Side } from '@tapdeck/wire'
import { verbOf } from '../../sql/verb.ts'
import { HEADER, int16, int24, int32, integerSize, isText, MAX_LENGTH, textEnd, zeroAt } from './bytes.ts'
import { CAPABILITY, STATUS } from './capability.ts'
import { COMMAND, isCommand } from './command.ts'

/** Of one packet, or of several in a row: enough to say that this is MySQL. */
export const PROOF = 4
export const IMPOSSIBLE = -1
export const UNDECIDED = 0
/** Bytes that are enough to recognise a statement without its end. */
const TELLING = 12
/** Rows that are longer are not believed where nothing else speaks for them. */
const MAX_ROW_LENGTH = 64 * 1024
/** Bits that no server sets. */
const UNUSED_STATUS = 0x8004
const VERBS = new Set(
  `SELECT INSERT UPDATE DELETE REPLACE SET SHOW USE BEGIN START COMMIT ROLLBACK CREATE DROP ALTER TRUNCATE CALL
  EXPLAIN DESCRIBE DESC WITH LOCK UNLOCK GRANT REVOKE LOAD DO HANDLER ANALYZE OPTIMIZE CHECK REPAIR FLUSH KILL PREPARE
  EXECUTE DEALLOCATE XA SAVEPOINT RELEASE VALUES TABLE HELP RESET PURGE CHANGE STOP RENAME CHECKSUM INSTALL
  UNINSTALL`.split(/\s+/),
)

/**
 * How much the packet at `at` speaks for MySQL: whether what it holds fits into its length to the byte.
 * `IMPOSSIBLE`: it is none. `UNDECIDED`: its end is not there.
 */
export function evidence(bytes: Uint8Array, at: number, end: number, side: Side): number {
  if (end - at < HEADER + 1) return end - at >= HEADER && int24(bytes, at) === 0 ? IMPOSSIBLE : UNDECIDED
  const start = at + HEADER
  const stop = start + int24(bytes, at)
  if (stop === start) return IMPOSSIBLE
  return side === 0
    ? ofClient(bytes, bytes[at + 3], start, stop, end)
    : ofServer(bytes, bytes[at + 3], start, stop, end)
}

function ofClient(bytes: Uint8Array, sequence: number, start: number, stop: number, end: number): number {
  if (sequence === 1) return ofLogin(bytes, start, stop, end)
  const code = bytes[start]
  const length = stop - start
  const whole = stop <= end
  if (sequence !== 0 || !isCommand(code)) return IMPOSSIBLE
  switch (code) {
    case COMMAND.query:
    case COMMAND.stmtPrepare:
      return ofStatement(bytes, start + 1, stop, end)
    case COMMAND.stmtExecute:
      if (length < 10) return IMPOSSIBLE
      if (end - start < 10) return UNDECIDED
      return bytes[start + 5] < 16 && int32(bytes, start + 6) === 1 ? PROOF : IMPOSSIBLE
    case COMMAND.initDb:
    case COMMAND.fieldList:
    case COMMAND.createDb:
    case COMMAND.dropDb:
      if (length < 2 || length > 512) return IMPOSSIBLE
      if (!whole) return UNDECIDED
      return isText(bytes, start + 1, code === COMMAND.fieldList ? zeroAt(bytes, start + 1, stop) : stop)
        ? 2
        : IMPOSSIBLE
    case COMMAND.quit:
    case COMMAND.ping:
    case COMMAND.statistics:
    case COMMAND.processInfo:
    case COMMAND.debug:
    case COMMAND.resetConnection:
      return length === 1 ? 2 : IMPOSSIBLE
    case COMMAND.stmtClose:
    case COMMAND.stmtReset:
      return length === 5 ? 2 : IMPOSSIBLE
    case COMMAND.stmtFetch:
      return length === 9 ? 2 : IMPOSSIBLE
    case COMMAND.setOption:
      return length === 3 ? 2 : IMPOSSIBLE
    default:
      return IMPOSSIBLE
  }
}

/** Newer clients put attributes before the text: mostly none of them, which is a 0 and a 1. */
function ofStatement(bytes: Uint8Array, start: number, stop: number, end: number): number {
  const text = bytes[start] === 0 && bytes[start + 1] === 1 ? start + 2 : start
  const last = Math.min(stop, end)
  if (!isText(bytes, text, last)) return IMPOSSIBLE
  const verb = verbOf(bytes, text, last)
  if (verb !== undefined && VERBS.has(verb)) return PROOF
  if (stop <= end) return stop > text ? 2 : IMPOSSIBLE
  return end - start < TELLING ? UNDECIDED : IMPOSSIBLE
}

/** The client's answer to the greeting: flags, sizes, then bytes that must be 0. */
function ofLogin(bytes: Uint8Array, start: number, stop: number, end: number): number {
  if (stop - start < 32 || stop - start > 64 * 1024) return IMPOSSIBLE
  if (end - start < 32) return UNDECIDED
  if ((int32(bytes, start) & CAPABILITY.protocol41) === 0) return IMPOSSIBLE
  for (let at = start + 9; at < start + 28; at++) if (bytes[at] !== 0) return IMPOSSIBLE
  return PROOF
}

function ofServer(bytes: Uint8Array, sequence: number, start: number, stop: number, end: number): number {
  const first = bytes[start]
  const length = stop - start
  const whole = stop <= end
  if (length === MAX_LENGTH) return 1
  if (length > MAX_ROW_LENGTH) return IMPOSSIBLE
  if (sequence === 0 && first === 0x0a) return ofGreeting(bytes, start, stop, end)
  if (first === 0xff) {
    if (length < 4 || length > 1024) return IMPOSSIBLE
    if (end - start >= 3 && !isErrorCode(int16(bytes, start + 1))) return IMPOSSIBLE
    return whole ? (isText(bytes, start + 3, stop) ? PROOF : IMPOSSIBLE) : UNDECIDED
  }
  if (first === 0xfe && length === 5) return 2
  if (!whole) return UNDECIDED
  if (first === 0) return ofOk(bytes, start, stop)
  if (first === 3 && bytes[start + 1] === 0x64 && bytes[start + 2] === 0x65 && bytes[start + 3] === 0x66)
    return isDefinition(bytes, start, stop) ? PROOF : 1
  // One column or more, their values one after the other; or a binary row, which cannot be checked.
  let at = start
  while (at < stop && at >= 0) at = bytes[at] === 0xfb ? at + 1 : textEnd(bytes, at, stop)
  return at === stop && length > 1 ? 2 : 1
}

function ofGreeting(bytes: Uint8Array, start: number, stop: number, end: number): number {
  if (stop - start > 512 || (end > start + 1 && !isDigit(bytes[start + 1]))) return IMPOSSIBLE
  const version = zeroAt(bytes, start + 1, Math.min(stop, end))
  if (!isText(bytes, start + 1, version)) return IMPOSSIBLE
  if (stop > end) return UNDECIDED
  // The thread's number, eight bytes of salt, a 0.
  return version + 14 <= stop && bytes[version + 13] === 0 ? PROOF : IMPOSSIBLE
}

function ofOk(bytes: Uint8Array, start: number, stop: number): number {
  let at = start + 1
  for (let i = 0; i < 2; i++) {
    const size = integerSize(bytes[at])
    if (size === 0) return 1
    at += size
  }
  if (at + 4 > stop) return 1
  const status = int16(bytes, at)
  const usual = (status & (STATUS.autocommit | STATUS.inTransaction)) !== 0 && (status & UNUSED_STATUS) === 0
  return usual && bytes[at + 3] === 0 && (at + 4 === stop || isText(bytes, at + 5, stop)) ? PROOF : 1
}

/** Six names, then twelve bytes about the column. */
function isDefinition(bytes: Uint8Array, start: number, stop: number): boolean {
  let at = start
  for (let i = 0; i < 6 && at >= 0; i++) at = textEnd(bytes, at, stop)
  return at >= 0 && at + 13 <= stop
}

function isErrorCode(code: number): boolean {
  return (code >= 1000 && code < 10_000) || code === 0xffff
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
