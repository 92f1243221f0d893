import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { latin1 } from '../../text/text.ts'

const MAX_LINE_LENGTH = 1024
const MAX_UNCERTAIN = 32

const COMMAND = /^((EHLO|HELO|LHLO) +\S+|MAIL FROM: ?<[^>]*>.*|RCPT TO: ?<[^>]+>.*) *$/i
const DOUBTFUL_COMMAND = /^((QUIT|NOOP|RSET|STARTTLS|HELP|DATA)|AUTH [A-Z0-9-]+( \S+)?) *$/i
const BEGINNINGS = [
  'EHLO ',
  'HELO ',
  'LHLO ',
  'MAIL FROM:',
  'RCPT TO:',
  'QUIT',
  'NOOP',
  'RSET',
  'STARTTLS',
  'HELP',
  'DATA',
  'AUTH ',
]
/** FTP and NNTP have codes, too; only mail has these words and enhanced codes (RFC 3463). */
const REPLY =
  /^(220[ -].*\b(E?SMTP|LMTP)\b|[245]\d\d[ -][245]\.\d{1,3}\.\d{1,3}\b|250[ -](PIPELINING|8BITMIME|SIZE\b|STARTTLS|ENHANCEDSTATUSCODES|CHUNKING|SMTPUTF8|AUTH )|354[ -].*<CRLF>)/i
const DOUBTFUL_REPLY = /^[2-5][0-5]\d([ -][\x20-\x7e\x80-\xff]*)?$/

export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  let at = start
  for (let i = 0; i < MAX_UNCERTAIN; i++) {
    const verdict = probeLine(bytes, at, end, side)
    if (verdict !== 'more') return verdict
    while (at < end && bytes[at] !== 0x0a) at++
    if (++at >= end) return 'more'
  }
  return 'no'
}

export function probeLine(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  const text = latin1(bytes, start, Math.min(end, start + MAX_LINE_LENGTH))
  const lf = text.indexOf('\n')
  const line = (lf < 0 ? text : text.slice(0, lf)).replace(/\r$/, '')
  if (lf < 0) return text.length < MAX_LINE_LENGTH && couldBegin(line, side) ? 'more' : 'no'
  if ((side === 0 ? COMMAND : REPLY).test(line)) return 'yes'
  return (side === 0 ? DOUBTFUL_COMMAND : DOUBTFUL_REPLY).test(line) ? 'more' : 'no'
}

function couldBegin(line: string, side: Side): boolean {
  if (side === 1) return /^[2-5]?[0-5]?\d?$/.test(line) || DOUBTFUL_REPLY.test(line)
  const upper = line.toUpperCase()
  return (
    /^[\x20-\x7e\x80-\xff]*$/.test(line) &&
    BEGINNINGS.some((word) => word.startsWith(upper) || upper.startsWith(word))
  )
}
