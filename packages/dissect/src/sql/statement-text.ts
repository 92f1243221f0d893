import { utf8Lossy } from '../text.ts'
import { verbOf } from './verb.ts'

/** Longer ones are read again each time: what is remembered is not counted. */
const LONGEST_REMEMBERED = 4096

/** What people see of a statement. */
export interface StatementSummary {
  /** The keyword that says what it does; undefined where there is none. */
  readonly verb: string | undefined
  readonly text: string
}

const remembered = new WeakMap<Uint8Array, StatementSummary>()

/** A statement as text. What was cut off in the middle of a character, or is no UTF-8, shows as U+FFFD. */
export function statementText(bytes: Uint8Array): string {
  return utf8Lossy(bytes)
}

/** These very bytes are a prepared statement that is executed again and again: its text is made once. */
export function rememberStatement(bytes: Uint8Array): void {
  if (bytes.length <= LONGEST_REMEMBERED)
    remembered.set(bytes, { verb: verbOf(bytes), text: statementText(bytes) })
}

/** Undefined where it was not remembered. */
export function rememberedStatement(bytes: Uint8Array): StatementSummary | undefined {
  return remembered.get(bytes)
}

/** As much of `bytes[start, end)` as fits, up to the end of a character. */
export function cutText(bytes: Uint8Array, start: number, end: number, ceiling: number): number {
  if (end - start <= ceiling) return end
  let at = start + ceiling
  for (let i = 0; i < 3 && at > start && (bytes[at] & 0xc0) === 0x80; i++) at--
  return at
}
