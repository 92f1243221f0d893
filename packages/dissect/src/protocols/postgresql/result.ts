import { utf8Lossy } from '../../text/text.ts'
import { int16, int32, textEnd } from './bytes.ts'
import { BACKEND, HEADER } from './message-type.ts'
import { isBinary } from './parameters.ts'
import { readValue } from './value.ts'

interface Column {
  readonly name: string
  readonly type: number
  readonly binary: boolean
}

/** What was kept of an answer, as people read it. */
export interface Result {
  /** Of the first result that has any. */
  readonly columns: readonly string[]
  /** Rows in the text format of COPY: a line a row, tabs between values, `\N` for NULL. */
  readonly text: string
}

/** Reads the row descriptions, rows and copied data that an answer kept. */
export function readResult(bytes: Uint8Array, formats: readonly boolean[]): Result {
  let columns: readonly Column[] = []
  let first: readonly Column[] | undefined
  let text = ''
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const length = int32(bytes, at + 1)
    const stop = at + 1 + length
    if (length < 4) break
    const end = Math.min(stop, bytes.length)
    if (bytes[at] === BACKEND.rowDescription && stop === end) {
      columns = readColumns(bytes, at + HEADER, end, formats)
      first ??= columns
    } else if (bytes[at] === BACKEND.dataRow) text += readRow(bytes, at + HEADER, end, columns, formats)
    else if (bytes[at] === BACKEND.copyData) text += readValue(bytes.subarray(at + HEADER, end), false, 0)
    at = stop
  }
  return { columns: (first ?? []).map(({ name }) => name), text }
}

/** A statement is described before its formats are chosen: those of Bind count. */
function readColumns(bytes: Uint8Array, start: number, end: number, formats: readonly boolean[]): Column[] {
  const columns: Column[] = []
  let at = start + 2
  for (let i = int16(bytes, start); i > 0; i--) {
    const stop = textEnd(bytes, at, end)
    if (stop + 19 > end) break
    columns.push({
      name: utf8Lossy(bytes.subarray(at, stop)),
      type: int32(bytes, stop + 7) >>> 0,
      binary: int16(bytes, stop + 17) === 1 || isBinary(formats, columns.length),
    })
    at = stop + 19
  }
  return columns
}

function readRow(
  bytes: Uint8Array,
  start: number,
  end: number,
  columns: readonly Column[],
  formats: readonly boolean[],
): string {
  const values: string[] = []
  let at = start + 2
  for (let i = 0; i < int16(bytes, start) && at + 4 <= end; i++) {
    const length = int32(bytes, at)
    const stop = Math.min(at + 4 + Math.max(0, length), end)
    const column = columns[i]
    values.push(
      length < 0
        ? '\\N'
        : escaped(
            readValue(
              bytes.subarray(at + 4, stop),
              column?.binary ?? isBinary(formats, i),
              column?.type ?? 0,
            ),
          ),
    )
    at = stop
  }
  return `${values.join('\t')}\n`
}

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text)
    ? text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    : text
}
