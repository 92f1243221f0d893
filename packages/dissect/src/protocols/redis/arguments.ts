const CR = 0x0d
const LF = 0x0a
const ARRAY = 0x2a
const BULK = 0x24

/** Where an argument is in a command: `bytes[start, end)`. */
export interface Span {
  start: number
  end: number
}

/**
 * Finds the argument `index` of the command `bytes[from, to)` (0 is its verb), sent as an array of bulk strings, as a push,
 * or inline. Of one that is cut, what is there of it. False where there is none.
 */
export function locate(bytes: Uint8Array, from: number, to: number, index: number, into: Span): boolean {
  return from < to && (bytes[from] === ARRAY || bytes[from] === 0x3e)
    ? locateBulk(bytes, afterLine(bytes, from, to), to, index, into)
    : locateInline(bytes, from, to, index, into)
}

/** Its verb, of which nearly always the count and the length have one digit each. */
export function locateVerb(bytes: Uint8Array, from: number, to: number, into: Span): boolean {
  const isShort = to - from > 8 && bytes[from] === ARRAY && bytes[from + 2] === CR && bytes[from + 3] === LF
  return (isShort && locateShort(bytes, from + 4, to, into)) || locate(bytes, from, to, 0, into)
}

/** The argument after that which ends at `before`: of commands that are sent as arrays. */
export function locateNext(bytes: Uint8Array, before: number, to: number, into: Span): boolean {
  return locateShort(bytes, before + 2, to, into) || locateBulk(bytes, before + 2, to, 0, into)
}

/** A bulk string that is all there, with a length of one digit or two; false: it must be looked at more closely. */
function locateShort(bytes: Uint8Array, at: number, to: number, into: Span): boolean {
  if (at + 5 > to || bytes[at] !== BULK) return false
  const first = bytes[at + 1] - 0x30
  const second = bytes[at + 2] - 0x30
  if (first < 0 || first > 9) return false
  let content: number
  let size: number
  if (bytes[at + 2] === CR && bytes[at + 3] === LF) {
    content = at + 4
    size = first
  } else if (second >= 0 && second <= 9 && bytes[at + 3] === CR && bytes[at + 4] === LF) {
    content = at + 5
    size = first * 10 + second
  } else return false
  if (content + size >= to) return false
  into.start = content
  into.end = content + size
  return true
}

function locateBulk(bytes: Uint8Array, from: number, to: number, index: number, into: Span): boolean {
  let at = from
  for (let i = 0; at < to; i++) {
    const content = afterLine(bytes, at, to)
    let size = 0
    if (bytes[at] === BULK)
      for (let digit = at + 1; digit < content - 2; digit++) size = size * 10 + bytes[digit] - 0x30
    else size = -1
    if (i === index) {
      into.start = size < 0 ? at + 1 : content
      into.end = Math.min(size < 0 ? content - 2 : content + size, to)
      return content < to || size <= 0
    }
    at = size < 0 ? content : content + size + 2
  }
  return false
}

function afterLine(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to && bytes[at] !== LF) at++
  return at + 1
}

/** Words between blanks; quoted ones may have blanks in them. */
function locateInline(bytes: Uint8Array, from: number, to: number, index: number, into: Span): boolean {
  let end = to
  while (end > from && (bytes[end - 1] === LF || bytes[end - 1] === CR)) end--
  let at = from
  for (let i = 0; ; i++) {
    while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++
    if (at === end) return false
    const quote = bytes[at] === 0x22 || bytes[at] === 0x27 ? bytes[at++] : 0
    const start = at
    while (at < end && (quote === 0 ? bytes[at] !== 0x20 && bytes[at] !== 0x09 : bytes[at] !== quote))
      at += quote === 0x22 && bytes[at] === 0x5c ? 2 : 1
    if (i === index) {
      into.start = start
      into.end = Math.min(at, end)
      return true
    }
    if (quote !== 0) at++
    if (at > end) at = end
  }
}

/** Whether `bytes[start, end)` is `lower`, whatever its case. `lower` has only small letters. */
export function isWord(bytes: Uint8Array, start: number, end: number, lower: string): boolean {
  if (end - start !== lower.length) return false
  for (let i = 0; i < lower.length; i++) if ((bytes[start + i] | 0x20) !== lower.charCodeAt(i)) return false
  return true
}
