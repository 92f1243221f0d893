import { utf8Lossy, word } from '../../text.ts'

const CR = 0x0d
const LF = 0x0a
const ARRAY = 0x2a
const BULK = 0x24
/** Keys that are looked up before a text is made of them. */
const SHORT = 16

/** Where an argument stands in a command: `bytes[start, end)`. */
export interface Span {
  start: number
  end: number
}

/**
 * Finds the argument `index` of a command (0 is its verb), sent as an array of bulk strings, as a push, or inline. Of
 * one that is cut, what is there of it. False where there is none.
 */
export function locate(head: Uint8Array, index: number, into: Span): boolean {
  return head[0] === ARRAY || head[0] === 0x3e
    ? locateBulk(head, afterLine(head, 0), index, into)
    : locateInline(head, index, into)
}

/** Its verb, of which nearly always the count and the length have one digit each. */
export function locateVerb(head: Uint8Array, into: Span): boolean {
  const isShort = head.length > 8 && head[0] === ARRAY && head[2] === CR && head[3] === LF
  return (isShort && locateShort(head, 4, into)) || locate(head, 0, into)
}

/** The argument after that which ends at `before`: of commands that are sent as arrays. */
export function locateNext(head: Uint8Array, before: number, into: Span): boolean {
  return locateShort(head, before + 2, into) || locateBulk(head, before + 2, 0, into)
}

/** A bulk string that is all there, with a length of one digit or two; false: it must be looked at more closely. */
function locateShort(head: Uint8Array, at: number, into: Span): boolean {
  const { length } = head
  if (at + 5 > length || head[at] !== BULK) return false
  const first = head[at + 1] - 0x30
  const second = head[at + 2] - 0x30
  if (first < 0 || first > 9) return false
  let content: number
  let size: number
  if (head[at + 2] === CR && head[at + 3] === LF) {
    content = at + 4
    size = first
  } else if (second >= 0 && second <= 9 && head[at + 3] === CR && head[at + 4] === LF) {
    content = at + 5
    size = first * 10 + second
  } else return false
  if (content + size >= length) return false
  into.start = content
  into.end = content + size
  return true
}

function locateBulk(head: Uint8Array, from: number, index: number, into: Span): boolean {
  const { length } = head
  let at = from
  for (let i = 0; at < length; i++) {
    const content = afterLine(head, at)
    let size = 0
    if (head[at] === BULK)
      for (let digit = at + 1; digit < content - 2; digit++) size = size * 10 + head[digit] - 0x30
    else size = -1
    if (i === index) {
      into.start = size < 0 ? at + 1 : content
      into.end = Math.min(size < 0 ? content - 2 : content + size, length)
      return content < length || size <= 0
    }
    at = size < 0 ? content : content + size + 2
  }
  return false
}

function afterLine(head: Uint8Array, from: number): number {
  let at = from
  while (at < head.length && head[at] !== LF) at++
  return at + 1
}

/** Words between blanks; quoted ones may have blanks in them. */
function locateInline(head: Uint8Array, index: number, into: Span): boolean {
  let end = head.length
  while (end > 0 && (head[end - 1] === LF || head[end - 1] === CR)) end--
  let at = 0
  for (let i = 0; ; i++) {
    while (at < end && (head[at] === 0x20 || head[at] === 0x09)) at++
    if (at === end) return false
    const quote = head[at] === 0x22 || head[at] === 0x27 ? head[at++] : 0
    const start = at
    while (at < end && (quote === 0 ? head[at] !== 0x20 && head[at] !== 0x09 : head[at] !== quote))
      at += quote === 0x22 && head[at] === 0x5c ? 2 : 1
    if (i === index) {
      into.start = start
      into.end = Math.min(at, end)
      return true
    }
    if (quote !== 0) at++
    if (at > end) at = end
  }
}

/** Keys are bytes; those that are text are shown as such. Long ones seldom come again: to look them up costs more. */
export function keyText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT) return utf8Lossy(bytes, start, end)
  for (let i = start; i < end; i++) if (bytes[i] >= 0x80) return utf8Lossy(bytes, start, end)
  return word(bytes, start, end)
}

/** Whether `bytes[start, end)` is `lower`, whatever its case. `lower` has only small letters. */
export function isWord(bytes: Uint8Array, start: number, end: number, lower: string): boolean {
  if (end - start !== lower.length) return false
  for (let i = 0; i < lower.length; i++) if ((bytes[start + i] | 0x20) !== lower.charCodeAt(i)) return false
  return true
}
