import { KflError } from './kfl-error.ts'
import type { Token } from './token.ts'

const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '/': '/',
}
const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/**
 * Reads the string whose quote is at `quote`. A backslash before anything that is no escape stays what it is,
 * so that `path matches "/users/\d+"` needs no doubling; `\b` is left to regular expressions for the same reason.
 */
export function readString(text: string, start: number, quote: number, raw: boolean): Token {
  const mark = text[quote]
  let value = ''
  let at = quote + 1
  while (at < text.length && text[at] !== mark) {
    if (raw || text[at] !== '\\') {
      value += text[at++]
      continue
    }
    const letter = text[at + 1] ?? ''
    const digits = Object.hasOwn(HEX, letter) ? text.slice(at + 2, at + 2 + HEX[letter]) : ''
    const code =
      /^[0-9A-Fa-f]+$/.test(digits) && digits.length === HEX[letter] ? Number.parseInt(digits, 16) : -1
    if (code >= 0 && code <= 0x10ffff) {
      value += String.fromCodePoint(code)
      at += 2 + digits.length
    } else if (Object.hasOwn(SIMPLE, letter)) {
      value += SIMPLE[letter]
      at += 2
    } else {
      value += '\\'
      at++
    }
  }
  if (at >= text.length) {
    throw new KflError(`The text that begins here has no closing ${mark}.`, {
      position: start,
      length: text.length - start,
      expected: [mark],
      suggestion: `${text.slice(start)}${mark}`.slice(0, 200),
    })
  }
  // A lone surrogate has no UTF-8 form, so no captured text can hold it.
  const wellFormed = value.replace(/\p{Surrogate}/gu, '\ufffd')
  return { kind: 'string', value: wellFormed, text: text.slice(start, at + 1), start, end: at + 1 }
}
