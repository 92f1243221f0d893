import type { JsonBytes } from '../../json/json-bytes.ts'
import { jsonFragment } from '../../json/json-fragment.ts'
import { utf8Lossy } from '../../text/text.ts'
import { int32, integerAt, integerSize, textEnd } from './bytes.ts'
import { column, locateColumn } from './column-place.ts'
import { escaped } from './result.ts'
import { isTextType, readBinary, readTextValue, TYPE, valueEnd } from './value.ts'
import { type ResultSink, walkResult } from './walk-result.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const TAB = jsonFragment('\\t')
const NEWLINE = jsonFragment('\\n')
const NULL = jsonFragment('\\\\N')
/** Of a result with more, rows are read the long way. */
const MAX_COLUMNS = 256

/** Names of the columns of the first result that an answer describes, as a list. False where it describes none. */
export function writeColumns(bytes: Uint8Array, out: JsonBytes): boolean {
  const before = out.at
  names.start(out)
  walkResult(bytes, names)
  if (names.isDescribed && out.at > before) {
    out.byte(0x5d)
    return true
  }
  out.at = before
  return false
}

/**
 * The rows that an answer kept, as `readResult` has them, without the quotes around. False where it has too many
 * columns; what was written until then is for the caller to forget.
 */
export function writeRows(bytes: Uint8Array, binary: boolean, out: JsonBytes): boolean {
  rows.start(binary, out)
  walkResult(bytes, rows)
  return !rows.isTooWide
}

class NameWriter implements ResultSink {
  isDescribed = false
  #out: JsonBytes | undefined
  #before = 0
  #next = 0

  start(out: JsonBytes): void {
    this.#out = out
    this.#before = out.at
    this.isDescribed = false
  }

  /** A result that was cut is not written. */
  begin(): void {
    if (this.isDescribed) return
    if (this.#out !== undefined) this.#out.at = this.#before
    this.#next = 0x5b
  }

  column(bytes: Uint8Array, start: number, end: number): void {
    const out = this.#out
    if (this.isDescribed || out === undefined || !locateColumn(bytes, start, end)) return
    const { name, nameEnd } = column
    out.byte(this.#next)
    this.#next = COMMA
    out.byte(QUOTE)
    if (!out.plain(bytes, name, nameEnd)) out.characters(utf8Lossy(bytes.subarray(name, nameEnd)))
    out.byte(QUOTE)
  }

  described(): void {
    this.isDescribed = true
  }

  row(): void {
    // Only names are wanted.
  }
}

class RowWriter implements ResultSink {
  isTooWide = false
  readonly #types = new Uint8Array(MAX_COLUMNS)
  readonly #unsigned = new Uint8Array(MAX_COLUMNS)
  #out: JsonBytes | undefined
  #binary = false
  #columns = 0

  start(binary: boolean, out: JsonBytes): void {
    this.#out = out
    this.#binary = binary
    this.#columns = 0
    this.isTooWide = false
  }

  begin(): void {
    this.#columns = 0
  }

  column(bytes: Uint8Array, start: number, end: number): void {
    if (!locateColumn(bytes, start, end)) return
    if (this.#columns === MAX_COLUMNS) {
      this.isTooWide = true
      return
    }
    this.#types[this.#columns] = column.type
    this.#unsigned[this.#columns] = column.unsigned ? 1 : 0
    this.#columns++
  }

  described(): void {
    // Rows are read by the known columns, all or not.
  }

  row(bytes: Uint8Array, start: number, end: number): void {
    const out = this.#out
    if (out === undefined || this.isTooWide) return
    if (this.#binary) this.#binaryRow(bytes, start, end, out)
    else writeTextRow(bytes, start, end, out)
  }

  #binaryRow(bytes: Uint8Array, start: number, end: number, out: JsonBytes): void {
    const columns = this.#columns
    const nulls = start + 1
    let at = nulls + ((columns + 9) >> 3)
    if (columns === 0) return
    for (let index = 0; index < columns; index++) {
      const isNull = ((bytes[nulls + ((index + 2) >> 3)] >> ((index + 2) & 7)) & 1) === 1
      const type = this.#types[index]
      const stop = isNull ? at : valueEnd(bytes, at, end, type)
      if (stop < 0) break
      if (index > 0) out.fragment(TAB)
      if (isNull) out.fragment(NULL)
      else writeBinary(bytes, at, stop, type, this.#unsigned[index] === 1, out)
      at = stop
    }
    out.fragment(NEWLINE)
  }
}

const names = new NameWriter()
const rows = new RowWriter()

function writeBinary(
  bytes: Uint8Array,
  at: number,
  stop: number,
  type: number,
  unsigned: boolean,
  out: JsonBytes,
): void {
  if (type === TYPE.long || type === TYPE.int24)
    out.number(unsigned ? int32(bytes, at) : int32(bytes, at) | 0)
  else if (type === TYPE.longlong && bytes[at + 6] === 0 && bytes[at + 7] === 0)
    out.number(int32(bytes, at) + int32(bytes, at + 4) * 0x1_0000_0000)
  else if (!isTextType(type) || !out.plain(bytes, at + integerSize(bytes[at]), stop))
    out.characters(escaped(readBinary(bytes, at, stop, type, unsigned)))
}

function writeTextRow(bytes: Uint8Array, start: number, end: number, out: JsonBytes): void {
  for (let at = start; at < end; ) {
    if (at > start) out.fragment(TAB)
    if (bytes[at] === 0xfb) {
      out.fragment(NULL)
      at++
      continue
    }
    const value = at + integerSize(bytes[at])
    if (!out.plain(bytes, value, Math.min(end, value + integerAt(bytes, at))))
      out.characters(escaped(readTextValue(bytes, at, end)))
    const stop = textEnd(bytes, at, end)
    if (stop < 0) break
    at = stop
  }
  out.fragment(NEWLINE)
}
