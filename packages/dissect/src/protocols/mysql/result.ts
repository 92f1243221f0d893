import { HEADER, int16, int24, integerAt, integerSize, textEnd } from './bytes.ts'
import { textOf } from './login.ts'
import { readBinary, readTextValue, valueEnd } from './value.ts'

const UNSIGNED = 0x20
const EOF_LENGTH = 5

interface Column {
  readonly name: string
  readonly type: number
  readonly unsigned: boolean
}

/** What was kept of an answer, as people read it. */
export interface Result {
  /** Of the first result that has any. */
  readonly columns: readonly string[]
  /** A line a row, tabs between values, `\N` for NULL. */
  readonly text: string
}

/** Reads the packets that an answer kept: a count, definitions, rows, an end mark, and perhaps all that again. */
export function readResult(bytes: Uint8Array, binary: boolean): Result {
  let phase: 'count' | 'columns' | 'rows' = 'count'
  let columns: Column[] = []
  let first: readonly Column[] | undefined
  let left = 0
  /** Neither a row nor the mark after the definitions has come. */
  let fresh = false
  let text = ''
  for (let at = 0; at + HEADER < bytes.length; ) {
    const size = int24(bytes, at)
    const start = at + HEADER
    const end = Math.min(start + size, bytes.length)
    const mark = bytes[start]
    at = start + size
    if (phase === 'count') {
      if (mark === 0) continue
      left = integerAt(bytes, start)
      columns = []
      const known = start + integerSize(mark) < end && bytes[start + integerSize(mark)] === 0
      phase = known ? 'rows' : 'columns'
    } else if (phase === 'columns' && left > 0) {
      const column = readColumn(bytes, start, end)
      if (column !== undefined) columns.push(column)
      if (--left === 0) {
        first ??= columns
        phase = 'rows'
        fresh = true
      }
    } else if (mark === 0xfe && size === EOF_LENGTH && fresh) fresh = false
    else if (mark === 0xfe) phase = 'count'
    else {
      fresh = false
      text += binary ? readBinaryRow(bytes, start, end, columns) : readTextRow(bytes, start, end)
    }
  }
  return { columns: (first ?? []).map(({ name }) => name), text }
}

/** Catalog, schema, table and its original name, the column's name and its original, then what it is. */
function readColumn(bytes: Uint8Array, start: number, end: number): Column | undefined {
  let at = start
  for (let i = 0; i < 4; i++) {
    at = textEnd(bytes, at, end)
    if (at < 0) return undefined
  }
  const nameEnd = textEnd(bytes, at, end)
  const rest = nameEnd < 0 ? -1 : textEnd(bytes, nameEnd, end)
  if (rest < 0) return undefined
  const name = textOf(bytes, at, nameEnd)
  // MariaDB tells of its own types before the fixed part, whose length is always 12.
  const fixed = bytes[rest] === 12 || rest >= end ? rest : textEnd(bytes, rest, end)
  if (fixed < 0 || fixed + 11 > end) return { name, type: 0xfd, unsigned: false }
  return { name, type: bytes[fixed + 7], unsigned: (int16(bytes, fixed + 8) & UNSIGNED) !== 0 }
}

function readTextRow(bytes: Uint8Array, start: number, end: number): string {
  const values: string[] = []
  for (let at = start; at < end; ) {
    if (bytes[at] === 0xfb) {
      values.push('\\N')
      at++
      continue
    }
    values.push(escaped(readTextValue(bytes, at, end)))
    const stop = textEnd(bytes, at, end)
    if (stop < 0) break
    at = stop
  }
  return `${values.join('\t')}\n`
}

function readBinaryRow(bytes: Uint8Array, start: number, end: number, columns: readonly Column[]): string {
  const values: string[] = []
  const nulls = start + 1
  let at = nulls + ((columns.length + 9) >> 3)
  for (const [index, { type, unsigned }] of columns.entries()) {
    if ((bytes[nulls + ((index + 2) >> 3)] >> ((index + 2) & 7)) & 1) {
      values.push('\\N')
      continue
    }
    const stop = valueEnd(bytes, at, end, type)
    if (stop < 0) break
    values.push(escaped(readBinary(bytes, at, stop, type, unsigned)))
    at = stop
  }
  return columns.length === 0 ? '' : `${values.join('\t')}\n`
}

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text)
    ? text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    : text
}
