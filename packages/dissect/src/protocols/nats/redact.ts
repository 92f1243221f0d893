import type { Redaction } from '../../contract/redaction.ts'
import { latin1 } from '../../text/text.ts'

/** A payload with headers begins with them. */
const HEADERS = 'NATS/1.0'
const HEADERS_END = '\r\n\r\n'

export const redact: Redaction = {
  hasHeaderLines: true,
  /** INFO and CONNECT have JSON after the command. */
  eachJsonInHead(head, report) {
    const start = latin1(head).indexOf('{')
    if (start >= 0) report(start, head.length)
  },
  eachJsonInBody(body, report) {
    const text = latin1(body)
    const end = text.startsWith(HEADERS) ? text.indexOf(HEADERS_END) : -1
    if (end >= 0) report(end + HEADERS_END.length, body.length)
  },
}
