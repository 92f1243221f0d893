import type { CallLine } from '../call-line.ts'
import type { JsonBytes } from '../json-bytes.ts'
import { LINE } from '../line-marks.ts'
import { type Phrase, phrase } from '../phrase.ts'

const BODY = phrase(',"body":')
const QUOTE = 0x22

/** Writes a member, and says where its value begins; 0 where there is none. */
export function place(key: Phrase, value: unknown, out: JsonBytes): number {
  if (value === undefined) return 0
  out.phrase(key)
  const start = out.at
  out.value(value)
  return start
}

/** Writes a member whose value stands already at `[start, end)` of the line. */
export function again(key: Phrase, start: number, end: number, out: JsonBytes): void {
  out.phrase(key)
  out.again(start, end)
}

/** Writes a member by `write`, and says where its value begins; 0, and nothing is written, where that says false. */
export function placeBy(key: Phrase, out: JsonBytes, write: () => boolean): number {
  const before = out.at
  out.phrase(key)
  const start = out.at
  if (write()) return start
  out.at = before
  return 0
}

/** Rows as the body of an answer, none where there are none. False: they cannot be written so. */
export function writeBody(line: CallLine, writeRows: (out: JsonBytes) => boolean): boolean {
  const { out } = line
  const before = out.at
  out.phrase(BODY)
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
