import { SteadySummary } from '../placed-summary.ts'
import { SteadyBytes } from '../steady-bytes.ts'
import { utf8Lossy } from '../text.ts'
import { verbOf } from './verb.ts'

/** Longer ones are read again each time: what is remembered is not counted. */
const LONGEST_REMEMBERED = 4096

/** Notes of an answer that it tells of nothing but success. */
export const SUCCEEDED = {}

/** What people see of a statement that is executed again and again. */
export class StatementSummary {
  /** The columns of its calls that succeed; undefined where nothing says what it does. */
  readonly succeeded: SteadySummary | undefined

  constructor(bytes: Uint8Array) {
    const verb = verbOf(bytes)
    const text = statementText(bytes)
    this.succeeded =
      verb === undefined
        ? undefined
        : new SteadySummary(verb, text, new SteadyBytes(encoder.encode(text)), 'ok')
  }
}

const encoder = new TextEncoder()

/** A statement as text. What was cut off in the middle of a character, or is no UTF-8, shows as U+FFFD. */
export function statementText(bytes: Uint8Array): string {
  return utf8Lossy(bytes)
}

/** Of a prepared statement that is executed again and again, so that its text is made once. */
export function summaryOf(bytes: Uint8Array): StatementSummary | undefined {
  return bytes.length > LONGEST_REMEMBERED ? undefined : new StatementSummary(bytes)
}

/** As much of `bytes[start, end)` as fits, up to the end of a character. */
export function cutText(bytes: Uint8Array, start: number, end: number, ceiling: number): number {
  if (end - start <= ceiling) return end
  let at = start + ceiling
  for (let i = 0; i < 3 && at > start && (bytes[at] & 0xc0) === 0x80; i++) at--
  return at
}
