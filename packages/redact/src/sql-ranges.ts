import type { SqlDialect } from '@tapdeck/dissect'
import type { Ranges } from './ranges.ts'

/**
 * Literals of a statement: quoted texts (with '' inside, and \\' where that is an escape), dollar quotes of PostgreSQL,
 * and numbers that are no part of a name. A comment is a text of its own: a quote in it opens nothing behind it.
 */
export function sqlLiterals(text: string, dialect: SqlDialect, into: Ranges): void {
  for (let at = 0; at < text.length; ) {
    const begin = literals(text, at, text.length, dialect, into)
    const end = commentEnd(text, begin)
    // Comments do not nest here: what looks like one inside of another is a part of it.
    const isClosed = text.startsWith('/*', begin) && end >= begin + 4 && text.startsWith('*/', end - 2)
    const inside = isClosed ? end - 2 : end
    for (let within = begin + 2; within < inside; )
      within = literals(text, within, inside, dialect, into) + (within < inside ? 1 : 0)
    at = end
  }
}

/** Up to where a comment begins, or the end. */
function literals(text: string, start: number, end: number, dialect: SqlDialect, into: Ranges): number {
  const isMysql = dialect === 'mysql'
  for (let at = start; at < end; ) {
    const character = text[at]!
    if (opensComment(text, at, isMysql)) return at
    if (character === "'" || (isMysql && character === '"')) {
      const stop = quoteEnd(text, at, end, character, isMysql || isEscaping(text, at))
      into.push(at + 1, Math.max(at + 1, text[stop - 1] === character && stop > at + 1 ? stop - 1 : stop))
      at = stop
    } else if (character === '"' || character === '`') at = quoteEnd(text, at, end, character, false)
    else if (character === '$') at = dollarQuote(text, at, end, into)
    else if (isDigit(character)) at = number(text, at, end, into)
    else if (isName(character)) at = nameEnd(text, at, end)
    else at++
  }
  return end
}

function opensComment(text: string, at: number, isMysql: boolean): boolean {
  return text.startsWith('/*', at) || text.startsWith('--', at) || (isMysql && text[at] === '#')
}

/** Where the comment that begins at `at` ends. */
function commentEnd(text: string, at: number): number {
  const isBlock = text.startsWith('/*', at)
  const close = text.indexOf(isBlock ? '*/' : '\n', at + 2)
  return close < 0 ? text.length : close + (isBlock ? 2 : 0)
}

/** `E'…'` of PostgreSQL has escapes. */
function isEscaping(text: string, quote: number): boolean {
  return /^[eE]$/.test(text[quote - 1] ?? '') && !/[\w\u0080-\uffff]/.test(text[quote - 2] ?? '')
}

function quoteEnd(text: string, start: number, end: number, quote: string, escapes: boolean): number {
  for (let at = start + 1; at < end; at++) {
    if (escapes && text[at] === '\\') at++
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1
      at++
    }
  }
  return end
}

/** `$tag$ … $tag$`; `$1` is a parameter's place. */
function dollarQuote(text: string, start: number, end: number, into: Ranges): number {
  const tag = /^\$(?:[A-Za-z_]\w*)?\$/.exec(text.slice(start, Math.min(end, start + 66)))?.[0]
  if (tag === undefined) return nameEnd(text, start + 1, end)
  const close = text.indexOf(tag, start + tag.length)
  const stop = close < 0 || close > end ? end : close
  into.push(start + tag.length, stop)
  return stop === end ? end : stop + tag.length
}

function number(text: string, start: number, end: number, into: Ranges): number {
  let at = start
  while (at < end && /[0-9a-zA-Z.]/.test(text[at]!)) at++
  into.push(start, at)
  return at
}

function nameEnd(text: string, start: number, end: number): number {
  let at = start
  while (at < end && (isName(text[at]!) || isDigit(text[at]!))) at++
  return Math.max(at, start + 1)
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

function isName(character: string): boolean {
  return /[A-Za-z_\u0080-\uffff]/.test(character)
}
