import { LINE } from '../contract/line-marks.ts'
import type { LineWriter } from '../contract/line-writer.ts'
import type { JsonBytes } from '../json/json-bytes.ts'
import { type JsonFragment, jsonFragment } from '../json/json-fragment.ts'

const BODY = jsonFragment(',"body":')
const QUOTE = 0x22

/** Writes a member and returns where its value begins; 0 if it has none. */
export function place(key: JsonFragment, value: unknown, out: JsonBytes): number {
  if (value === undefined) return 0
  out.fragment(key)
  const start = out.at
  out.value(value)
  return start
}

/** Writes a member whose value is already at `[start, end)` of the line. */
export function again(key: JsonFragment, start: number, end: number, out: JsonBytes): void {
  out.fragment(key)
  out.again(start, end)
}

/**
 * Writes a member with `write` and returns where its value begins. If `write` returns false, returns 0 and writes
 * nothing.
 */
export function placeBy(key: JsonFragment, out: JsonBytes, write: () => boolean): number {
  const before = out.at
  out.fragment(key)
  const start = out.at
  if (write()) return start
  out.at = before
  return 0
}

/** Rows as the body of a response, if there are any. Returns false if they cannot be written this way. */
export function writeBody(line: LineWriter, writeRows: (out: JsonBytes) => boolean): boolean {
  const { out } = line
  const before = out.at
  out.fragment(BODY)
  const start = out.at
  out.byte(QUOTE)
  if (!writeRows(out)) return false
  if (out.at === start + 1) out.at = before
  else {
    out.byte(QUOTE)
    line.mark(LINE.respBody, start)
  }
  return true
}
