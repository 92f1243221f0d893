import type { Ranges } from './ranges.ts'

/**
 * Literals of a statement: quoted texts (with '' and \\' inside), dollar quotes of PostgreSQL, and numbers that are no
 * part of a name. Double quotes name things in most dialects and texts in MySQL's: they count as literals there.
 */
export function sqlLiterals(text: string, doubleQuotes: boolean, into: Ranges): void {
  const { length } = text
  for (let at = 0; at < length; ) {
    const character = text[at]!
    if (character === "'" || (doubleQuotes && character === '"')) {
      const end = quoteEnd(text, at, character)
      into.push(at + 1, Math.max(at + 1, text[end - 1] === character && end > at + 1 ? end - 1 : end))
      at = end
    } else if (character === '"' || character === '`') at = quoteEnd(text, at, character)
    else if (character === '$') at = dollarQuote(text, at, into)
    else if (isDigit(character)) at = number(text, at, into)
    else if (isName(character)) at = nameEnd(text, at)
    else at++
  }
}

function quoteEnd(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1
      at++
    }
  }
  return text.length
}

/** `$tag$ … $tag$`; `$1` is a parameter's place. */
function dollarQuote(text: string, start: number, into: Ranges): number {
  const tag = /^\$(?:[A-Za-z_]\w*)?\$/.exec(text.slice(start, start + 66))?.[0]
  if (tag === undefined) return nameEnd(text, start + 1)
  const close = text.indexOf(tag, start + tag.length)
  const end = close < 0 ? text.length : close
  into.push(start + tag.length, end)
  return close < 0 ? end : end + tag.length
}

function number(text: string, start: number, into: Ranges): number {
  let at = start
  while (at < text.length && /[0-9a-zA-Z.]/.test(text[at]!)) at++
  into.push(start, at)
  return at
}

function nameEnd(text: string, start: number): number {
  let at = start
  while (at < text.length && (isName(text[at]!) || isDigit(text[at]!))) at++
  return Math.max(at, start + 1)
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

function isName(character: string): boolean {
  return /[A-Za-z_\u0080-\uffff]/.test(character)
}
