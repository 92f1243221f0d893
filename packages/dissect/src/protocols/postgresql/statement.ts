import { viewOf } from '@tapdeck/wire'
import type { FieldValue } from '../../contract/message.ts'
import type { CachedBytes } from '../../memory/cached-bytes.ts'
import type { Prepared } from '../../sql/statement-cache.ts'
import type { StatementSummary } from '../../sql/statement-text.ts'

/** A statement that was parsed, or of which only the name is known because that happened before the capture. */
export interface Statement extends Prepared {
  readonly name: string
  /** Only a part of its text was kept. */
  readonly cut: boolean
  /** Types that the client gave its parameters. */
  readonly types: readonly number[] | undefined
  /** What every plain execution of it says; one object for all of them. */
  fields: { readonly [name: string]: FieldValue } | undefined
  /** The same as JSON. */
  packed: CachedBytes | undefined
  executions: number
  /** What people see of it, once it was executed again. */
  summary: StatementSummary | undefined
  /** Its text to be compared by words, once it was sent again. */
  words: DataView | undefined
}

export function makeStatement(
  name: string,
  text: Uint8Array | undefined,
  cut: boolean,
  types: readonly number[] | undefined,
): Statement {
  return {
    name,
    text,
    cut,
    types,
    fields: undefined,
    packed: undefined,
    executions: 0,
    summary: undefined,
    words: undefined,
  }
}

/** Whether a Parse says this statement, whole and without types, in `bytes[start, end)`. */
export function isSaidAgain(statement: Statement, bytes: Uint8Array, start: number, end: number): boolean {
  const { text, cut, types } = statement
  if (text === undefined || cut || types !== undefined || start + text.length + 3 !== end) return false
  if (bytes[end - 3] !== 0 || bytes[end - 2] !== 0 || bytes[end - 1] !== 0) return false
  statement.words ??= new DataView(text.buffer, text.byteOffset, text.length)
  const { words } = statement
  const view = viewOf(bytes)
  const { length } = text
  let i = 0
  for (; i + 16 <= length; i += 16) {
    const at = start + i
    if (words.getInt32(i, true) !== view.getInt32(at, true)) return false
    if (words.getInt32(i + 4, true) !== view.getInt32(at + 4, true)) return false
    if (words.getInt32(i + 8, true) !== view.getInt32(at + 8, true)) return false
    if (words.getInt32(i + 12, true) !== view.getInt32(at + 12, true)) return false
  }
  for (; i < length; i++) if (text[i] !== bytes[start + i]) return false
  return true
}

/** Whether `bytes[start, end)` is its name. */
export function isNamed({ name }: Statement, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) !== bytes[start + i]) return false
  return true
}
