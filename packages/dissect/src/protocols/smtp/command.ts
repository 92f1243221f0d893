import { latin1, word } from '../../text/text.ts'

/** Verbs of RFC 5321 and its extensions. */
const VERBS = new Set(
  'HELO EHLO LHLO MAIL RCPT DATA BDAT RSET VRFY EXPN HELP NOOP QUIT AUTH STARTTLS TURN ETRN ATRN SEND SOML SAML BURL XCLIENT XFORWARD XEXCH50'.split(
    ' ',
  ),
)

export const UNKNOWN = 'UNKNOWN'

/** The verb of a command line; whatever is none may be anything, such as a password. */
export function verbOf(line: Uint8Array, start: number, end: number): string {
  let at = start
  while (at < end && at - start < 9 && isLetter(line[at])) at++
  const verb = word(line, start, at).toUpperCase()
  return VERBS.has(verb) && (at === end || line[at] <= 0x20) ? verb : UNKNOWN
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || (byte >= 0x30 && byte <= 0x39)
}

/** What follows the verb, as it stands. */
export function argumentOf(line: Uint8Array): string {
  const text = latin1(line).trimEnd()
  const space = text.indexOf(' ')
  return space < 0 ? '' : text.slice(space + 1).trim()
}

/** The address of MAIL FROM and RCPT TO: RFC 5321 §4.1.2. The empty one, of a bounce, is `<>`. */
export function addressOf(argument: string): string {
  const [, bracketed] = /<([^>]*)>/.exec(argument) ?? []
  if (bracketed !== undefined) return bracketed === '' ? '<>' : bracketed
  return argument.replace(/^(FROM|TO):\s*/i, '').split(' ', 1)[0]
}

/** Size of the chunk that follows BDAT: RFC 3030. */
export function chunkSize(line: Uint8Array, start: number, end: number): number {
  const [, size] = /^\S+\s+(\d{1,10})\b/.exec(latin1(line, start, Math.min(end, start + 64))) ?? []
  return size === undefined ? 0 : Number(size)
}

/** Writes over what follows the mechanism of AUTH: RFC 4954 §4. `line` is a copy of our own. */
export function hideCredentials(line: Uint8Array): void {
  let words = 0
  for (let at = 0; at < line.length; at++) {
    if (line[at] <= 0x20) continue
    if (at === 0 || line[at - 1] <= 0x20) words++
    if (words > 2) line[at] = 0x2a
  }
}

/** Hides a line that is no command. */
export function hideAll(line: Uint8Array): void {
  for (let at = 0; at < line.length; at++) if (line[at] > 0x20) line[at] = 0x2a
}
