import type { Redaction, ReportRange } from '../../contract/redaction.ts'
import { latin1 } from '../../text/text.ts'

/** RESP types that contain others, or text. */
const START = /^[*$%~>|]-?\d+\r\n/
/** A text that begins like JSON. */
const BULK_JSON = /\$(\d{1,9})\r\n(?=\s*[[{])/g

/** Values may be JSON: sessions, for example. */
export const redact: Redaction = {
  eachJsonInHead(head, report) {
    eachBulkString(latin1(head), report)
  },
  eachJsonInBody(body, report) {
    const text = latin1(body)
    if (START.test(text)) eachBulkString(text, report)
  },
}

function eachBulkString(text: string, report: ReportRange): void {
  for (const { 0: mark, 1: length, index } of text.matchAll(BULK_JSON)) {
    const start = index + mark.length
    report(start, Math.min(text.length, start + Number(length)))
  }
}
