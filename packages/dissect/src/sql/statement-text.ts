import { CachedBytes } from '../memory/cached-bytes.ts'
import { CachedSummary } from '../message/placed-summary.ts'
import { utf8Lossy } from '../text/text.ts'
import { verbOf } from './verb.ts'

/** Longer ones are decoded each time, because the cache is not counted in the budget. */
const MAX_CACHED = 4096

/** Note on a response: it contains nothing but success. */
export const SUCCEEDED = {}

/** The columns of a statement that is executed repeatedly. */
export class StatementSummary {
  /** The columns of successful calls; undefined if the statement has no verb. */
  readonly succeeded: CachedSummary | undefined

  constructor(bytes: Uint8Array) {
    const verb = verbOf(bytes)
    const text = statementText(bytes)
    this.succeeded =
      verb === undefined
        ? undefined
        : new CachedSummary(verb, text, new CachedBytes(encoder.encode(text)), 'ok')
  }
}

const encoder = new TextEncoder()

/** A statement as text. Invalid UTF-8 becomes U+FFFD. */
export function statementText(bytes: Uint8Array): string {
  return utf8Lossy(bytes)
}

/** Cached by statement, so that its text is decoded once. */
export function summaryOf(bytes: Uint8Array): StatementSummary | undefined {
  return bytes.length > MAX_CACHED ? undefined : new StatementSummary(bytes)
}

/** As much of `bytes[start, end)` as fits, without splitting a character. */
export function cutText(bytes: Uint8Array, start: number, end: number, ceiling: number): number {
  if (end - start <= ceiling) return end
  let at = start + ceiling
  for (let i = 0; i < 3 && at > start && (bytes[at] & 0xc0) === 0x80; i++) at--
  return at
}
