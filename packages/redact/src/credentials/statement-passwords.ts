import { maskAddresses } from './mask-addresses.ts'
import type { ValueHash } from './value-hash.ts'

const W = 0x77
const F = 0x66
const R = 0x72
/** Small letters, so that a look at one of them decides that most bytes are of no interest. */
const SMALL = 0x20

/** A literal: in quotes of either kind, cut off or not, or in dollar quotes. */
const LITERAL = String.raw`(?:'(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?|(\$\w*\$)[\s\S]*?(?:\2|$)|0x[0-9a-f]+)`
/** What may be between words, and before a literal its kind: `E'…'`, `U&'…'`. */
const GAP = String.raw`(?:\s|/\*(?:[^*]|\*(?!/)){0,256}\*/|--[^\n]{0,256}\n)*`
/** No two gaps are next to each other: blanks between them could be divided in too many ways. */
const CALLED = String.raw`(?:password\b${GAP})?(?:\(${GAP})?`
const KIND = "(?:[bnex](?=')|u&(?=')|_\\w{1,32}\\s*(?='))?"
/** `PASSWORD '…'`, `ENCRYPTED PASSWORD '…'`, `WITH PASSWORD = '…'`, `SOURCE_PASSWORD = '…'`, `PASSWORD('…')`; no quoted name. */
const NAMED = new RegExp(
  String.raw`((?<!['\w])\w{0,64}(?:passw(?:or)?d|pwd|passphrase|secret)\w{0,64}\b["\`]?${GAP}(?:(?:=>|:=|=|:|to\b)${GAP})?${CALLED}${KIND})${LITERAL}`,
  'gis',
)
/** `SET PASSWORD FOR user = '…'`. */
const SET = new RegExp(
  String.raw`(\bset\s+password\s+for\b[^=;]{0,256}=${GAP}${CALLED}${KIND})${LITERAL}`,
  'gis',
)
/** `IDENTIFIED BY '…'`, `IDENTIFIED WITH plugin AS '…'`, `IDENTIFIED VIA plugin USING PASSWORD('…')`. */
const IDENTIFIED = new RegExp(
  String.raw`(\bidentified\s+(?:(?:with|via)\s+\S{1,128}\s+)?(?:by|as|using)\b${GAP}${CALLED}${KIND})${LITERAL}`,
  'gis',
)
/** `REPLACE '…'`: the password before. */
const REPLACED = new RegExp(String.raw`(\breplace\s+)${LITERAL}`, 'gis')
/** A connection in a literal: `host=a password=b`. */
const IN_LITERAL = /'[^']*'/g
const CONNECTION = /(\b\w{0,64}(?:password|passwd|pwd)\s{0,8}=\s{0,8})([^\s';]+)/gi

/** Whether a statement may hold a password: `passw`, `tifi` of `identified`, `secr` or an address with a user. */
export function mayHavePassword(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start + 3; at < end; at++) {
    const byte = bytes[at]!
    if (byte === 0x40) return true
    const letter = byte | SMALL
    if (letter === W) {
      if ((bytes[at - 1]! | SMALL) === 0x73 && (bytes[at - 2]! | SMALL) === 0x73) return true
      if ((bytes[at - 1]! | SMALL) === 0x70 && (bytes[at + 1]! | SMALL) === 0x64) return true
    } else if (letter === F) {
      if ((bytes[at - 1]! | SMALL) === 0x69 && (bytes[at - 2]! | SMALL) === 0x74) return true
    } else if (letter === R) {
      if ((bytes[at - 1]! | SMALL) === 0x63 && (bytes[at - 2]! | SMALL) === 0x65) return true
    } else if (letter === 0x70 && (bytes[at - 1]! | SMALL) === 0x73) {
      if ((bytes[at - 2]! | SMALL) === 0x73) return true
    }
  }
  return false
}

/** The statement without its passwords; the same text where there is none. */
export function maskPasswords(statement: string, hash: ValueHash): string {
  const literal = (all: string, before: string) => before + quoted(all.slice(before.length), hash)
  let text = statement.replaceAll(NAMED, literal).replaceAll(SET, literal)
  if (/\bidentified\b/i.test(text)) text = text.replaceAll(IDENTIFIED, literal).replaceAll(REPLACED, literal)
  text = text.replaceAll(IN_LITERAL, (part) =>
    part.replaceAll(CONNECTION, (_, before: string, value: string) => before + hash.of(value)),
  )
  return maskAddresses(text, hash)
}

/** A literal keeps its quotes. */
function quoted(literal: string, hash: ValueHash): string {
  const [open = ''] = /^(?:['"]|\$\w*\$)/.exec(literal) ?? []
  const isClosed = literal.length >= 2 * open.length && literal.endsWith(open)
  const value = literal.slice(open.length, isClosed ? literal.length - open.length : undefined)
  return value === '' ? literal : open + hash.of(value) + (isClosed ? open : '')
}
