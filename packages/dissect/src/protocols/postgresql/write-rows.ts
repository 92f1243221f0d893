import type { JsonBytes } from '../../json/json-bytes.ts'
import { jsonFragment } from '../../json/json-fragment.ts'
import { utf8Lossy } from '../../text/text.ts'
import { int16, int32, textEnd } from './bytes.ts'
import { BACKEND, HEADER } from './message-type.ts'
import { isBinary } from './parameters.ts'
import { escaped } from './result.ts'
import { readValue } from './value.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const TAB = jsonFragment('\\t')
const NEWLINE = jsonFragment('\\n')
const NULL = jsonFragment('\\\\N')
/** Of a result with more, rows are read the long way. */
const MAX_COLUMNS = 256

const types = new Uint32Array(MAX_COLUMNS)
const binaries = new Uint8Array(MAX_COLUMNS)

/** Names of the columns of the first result that an answer describes, as a list. False where it describes none. */
export function writeColumns(bytes: Uint8Array, out: JsonBytes): boolean {
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const length = int32(bytes, at + 1)
    const stop = at + 1 + length
    if (length < 4) return false
    if (bytes[at] === BACKEND.rowDescription && stop <= bytes.length)
      return writeNames(bytes, at + HEADER, stop, out)
    at = stop
  }
  return false
}

function writeNames(bytes: Uint8Array, start: number, end: number, out: JsonBytes): boolean {
  const before = out.at
  let at = start + 2
  let next = 0x5b
  for (let i = int16(bytes, start); i > 0; i--) {
    const stop = textEnd(bytes, at, end)
    if (stop + 19 > end) break
    out.byte(next)
    next = COMMA
    out.byte(QUOTE)
    if (!out.plain(bytes, at, stop)) out.characters(utf8Lossy(bytes.subarray(at, stop)))
    out.byte(QUOTE)
    at = stop + 19
  }
  if (out.at === before) return false
  out.byte(0x5d)
  return true
}

/**
 * The rows that an answer kept, as `readResult` has them, without the quotes around. False where there is more to them
 * than that; what was written until then is for the caller to forget.
 */
export function writeRows(bytes: Uint8Array, formats: readonly boolean[], out: JsonBytes): boolean {
  let columns = 0
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const length = int32(bytes, at + 1)
    const stop = at + 1 + length
    if (length < 4) break
    const end = Math.min(stop, bytes.length)
    if (bytes[at] === BACKEND.rowDescription && stop === end) {
      columns = noteColumns(bytes, at + HEADER, end, formats)
      if (columns < 0) return false
    } else if (bytes[at] === BACKEND.dataRow) writeRow(bytes, at + HEADER, end, columns, formats, out)
    else if (bytes[at] === BACKEND.copyData) return false
    at = stop
  }
  return true
}

function noteColumns(bytes: Uint8Array, start: number, end: number, formats: readonly boolean[]): number {
  let columns = 0
  let at = start + 2
  for (let i = int16(bytes, start); i > 0; i--) {
    const stop = textEnd(bytes, at, end)
    if (stop + 19 > end) break
    if (columns === MAX_COLUMNS) return -1
    types[columns] = int32(bytes, stop + 7)
    binaries[columns] = int16(bytes, stop + 17) === 1 || isBinary(formats, columns) ? 1 : 0
    columns++
    at = stop + 19
  }
  return columns
}

function writeRow(
  bytes: Uint8Array,
  start: number,
  end: number,
  columns: number,
  formats: readonly boolean[],
  out: JsonBytes,
): void {
  const count = int16(bytes, start)
  let at = start + 2
  for (let i = 0; i < count && at + 4 <= end; i++) {
    const length = int32(bytes, at)
    const stop = Math.min(at + 4 + Math.max(0, length), end)
    const binary = i < columns ? binaries[i] === 1 : isBinary(formats, i)
    if (i > 0) out.fragment(TAB)
    if (length < 0) out.fragment(NULL)
    else if (binary || !out.plain(bytes, at + 4, stop))
      out.characters(escaped(readValue(bytes.subarray(at + 4, stop), binary, i < columns ? types[i] : 0)))
    at = stop
  }
  out.fragment(NEWLINE)
}
