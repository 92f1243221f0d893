import type { FieldValue } from '../../contract/message.ts'
import { utf8Lossy } from '../../text/text.ts'
import { textEnd } from './bytes.ts'

/** "Error and Notice Message Fields" in the PostgreSQL documentation. */
const NAMES: Readonly<Record<string, string | undefined>> = {
  S: 'severity',
  C: 'code',
  M: 'message',
  D: 'detail',
  H: 'hint',
  P: 'position',
  p: 'internal_position',
  q: 'internal_query',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'data_type',
  n: 'constraint',
  F: 'file',
  L: 'line',
  R: 'routine',
}
const MAX_LENGTH = 4096

/** What an ErrorResponse or a NoticeResponse says. */
export interface ServerReport {
  readonly [name: string]: FieldValue
}

/** `V` is the severity in English whatever language the server speaks; it replaces `S` where it is there. */
export function readReport(bytes: Uint8Array, start: number, end: number): ServerReport {
  const report: Record<string, string> = {}
  let at = start
  while (at < end && bytes[at] !== 0) {
    const code = String.fromCharCode(bytes[at])
    const stop = textEnd(bytes, at + 1, end)
    const name = code === 'V' ? 'severity' : NAMES[code]
    if (name !== undefined)
      report[name] = utf8Lossy(bytes.subarray(at + 1, Math.min(stop, at + 1 + MAX_LENGTH)))
    at = stop + 1
  }
  return report
}

export function isFatal({ severity }: ServerReport): boolean {
  return severity === 'FATAL' || severity === 'PANIC'
}
