import { utf8Lossy } from '../../text/text.ts'
import { textEnd } from './bytes.ts'
import { column, locateColumn } from './column-place.ts'
import { readBinary, readTextValue, valueEnd } from './value.ts'
import { type ResultSink, walkResult } from './walk-result.ts'

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

export function readResult(bytes: Uint8Array, binary: boolean): Result {
  const reader = new ResultReader(binary)
  walkResult(bytes, reader)
  return { columns: (reader.first ?? []).map(({ name }) => name), text: reader.text }
}

class ResultReader implements ResultSink {
  first: readonly Column[] | undefined
  text = ''
  readonly #binary: boolean
  #columns: Column[] = []

  constructor(binary: boolean) {
    this.#binary = binary
  }

  begin(): void {
    this.#columns = []
  }

  column(bytes: Uint8Array, start: number, end: number): void {
    if (!locateColumn(bytes, start, end)) return
    const { name, nameEnd, type, unsigned } = column
    this.#columns.push({ name: utf8Lossy(bytes.subarray(name, nameEnd)), type, unsigned })
  }

  described(): void {
    this.first ??= this.#columns
  }

  row(bytes: Uint8Array, start: number, end: number): void {
    this.text += this.#binary
      ? readBinaryRow(bytes, start, end, this.#columns)
      : readTextRow(bytes, start, end)
  }
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
