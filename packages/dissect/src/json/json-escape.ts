const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The same byte four times. */
const HIGHEST = 0x80808080 | 0
const EACH_ONE = 0x01010101
const SPACES = 0x20202020
const QUOTES = 0x22222222
const BACKSLASHES = 0x5c5c5c5c

/** Bytes that occur in text and need an escape. Other control bytes do not occur in text. */
export const ESCAPED = new Uint8Array(256)
for (const byte of [QUOTE, BACKSLASH, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]) ESCAPED[byte] = 1

/** The letter of escapes that have one. */
const LETTERS = new Uint8Array(128)
for (const [code, letter] of Object.entries({ 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r', 34: '"', 92: '\\' }))
  LETTERS[Number(code)] = letter.charCodeAt(0)
const HEX = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

/**
 * The highest bit of each of four bytes that is a control, a quote, a backslash or not ASCII. Exact up to the first
 * such byte.
 */
export function escapeBits(four: number): number {
  const quotes = four ^ QUOTES
  const backslashes = four ^ BACKSLASHES
  return (
    (((four - SPACES) & ~four) |
      ((quotes - EACH_ONE) & ~quotes) |
      ((backslashes - EACH_ONE) & ~backslashes) |
      four) &
    HIGHEST
  )
}

/** Writes the escape of `code` and returns the position after it. */
export function writeEscape(bytes: Uint8Array, from: number, code: number): number {
  let at = from
  bytes[at++] = BACKSLASH
  const letter = code < 0x80 ? LETTERS[code] : 0
  if (letter !== 0) {
    bytes[at++] = letter
    return at
  }
  bytes[at++] = 0x75
  bytes[at++] = HEX[code >> 12]
  bytes[at++] = HEX[(code >> 8) & 15]
  bytes[at++] = HEX[(code >> 4) & 15]
  bytes[at++] = HEX[code & 15]
  return at
}
