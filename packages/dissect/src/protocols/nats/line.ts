import { word } from '../../text/text.ts'

const SPACE = 0x20
const TAB = 0x09

export interface Span {
  start: number
  end: number
}

const span: Span = { start: 0, end: 0 }

/** The word `index` of a line; -1 is the last, -2 the one before it. */
export function token(line: Uint8Array, start: number, end: number, index: number, into: Span): boolean {
  return index < 0
    ? tokenFromEnd(line, start, end, -index, into)
    : tokenFromStart(line, start, end, index, into)
}

function tokenFromStart(line: Uint8Array, start: number, end: number, index: number, into: Span): boolean {
  let at = start
  for (let i = 0; ; i++) {
    while (at < end && (line[at] === SPACE || line[at] === TAB)) at++
    const first = at
    while (at < end && line[at] > SPACE) at++
    if (at === first) return false
    if (i < index) continue
    into.start = first
    into.end = at
    return true
  }
}

function tokenFromEnd(line: Uint8Array, start: number, end: number, count: number, into: Span): boolean {
  let at = end
  for (let i = 1; ; i++) {
    while (at > start && line[at - 1] <= SPACE) at--
    const last = at
    while (at > start && line[at - 1] > SPACE) at--
    if (at === last) return false
    if (i < count) continue
    into.start = at
    into.end = last
    return true
  }
}

export function tokenText(line: Uint8Array, index: number): string | undefined {
  return token(line, 0, line.length, index, span) ? word(line, span.start, span.end) : undefined
}

/** A whole number, or -1. */
export function tokenNumber(line: Uint8Array, start: number, end: number, index: number): number {
  if (!token(line, start, end, index, span) || span.end - span.start > 10) return -1
  let number = 0
  for (let at = span.start; at < span.end; at++) {
    const digit = line[at] - 0x30
    if (digit < 0 || digit > 9) return -1
    number = number * 10 + digit
  }
  return number
}

export function tokenCount(line: Uint8Array): number {
  let count = 0
  for (let i = 0; i < line.length; i++) if (line[i] > SPACE && (i === 0 || line[i - 1] <= SPACE)) count++
  return count
}
