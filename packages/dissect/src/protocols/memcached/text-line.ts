import { Malformed } from '@tapdeck/wire'
import { word } from '../../text/text.ts'

const SPACE = 0x20
const CR = 0x0d
const LF = 0x0a
/** Only a get of many keys is that long. */
const MAX_LINE_LENGTH = 64 * 1024
/** `-I` allows items of up to 1 GB. */
const MAX_ITEM_SIZE = 2 ** 30

/** Storage commands, by the place of the size of the data that follows their line. */
const SIZED: Readonly<Record<string, number | undefined>> = {
  set: 4,
  add: 4,
  replace: 4,
  append: 4,
  prepend: 4,
  cas: 4,
  ms: 2,
}

export interface Span {
  start: number
  end: number
}

const span: Span = { start: 0, end: 0 }

/** Length of the line with its break; 0: it is not there, nor in the first `scanned` bytes. */
export function lineLength(bytes: Uint8Array, start: number, end: number, scanned: number): number {
  const stop = Math.min(end, start + MAX_LINE_LENGTH)
  for (let at = start + scanned; at < stop; at++) {
    const byte = bytes[at]
    if (byte === LF) return at + 1 - start
    if (byte < SPACE && byte !== CR) throw new Malformed('no line of text')
  }
  if (end - start >= MAX_LINE_LENGTH) throw new Malformed('line too long')
  return 0
}

/** The word `index` of the line that `bytes[start, end)` begins with. */
export function token(bytes: Uint8Array, start: number, end: number, index: number, into: Span): boolean {
  let at = start
  for (let i = 0; ; i++) {
    while (at < end && bytes[at] === SPACE) at++
    const first = at
    while (at < end && bytes[at] > SPACE) at++
    if (at === first) return false
    if (i < index) continue
    into.start = first
    into.end = at
    return true
  }
}

export function tokenText(bytes: Uint8Array, start: number, end: number, index: number): string {
  return token(bytes, start, end, index, span) ? word(bytes, span.start, span.end) : ''
}

/** A whole number, or -1. */
function tokenNumber(bytes: Uint8Array, start: number, end: number, index: number): number {
  if (!token(bytes, start, end, index, span) || span.end - span.start > 15) return -1
  let number = 0
  for (let at = span.start; at < span.end; at++) {
    const digit = bytes[at] - 0x30
    if (digit < 0 || digit > 9) return -1
    number = number * 10 + digit
  }
  return number
}

/** Bytes of data that follow the line of a command, without their line break; -1: none. */
export function dataOfCommand(bytes: Uint8Array, start: number, end: number): number {
  const place = SIZED[tokenText(bytes, start, end, 0)]
  return place === undefined ? -1 : checked(tokenNumber(bytes, start, end, place))
}

/** The same for a line of an answer. */
export function dataOfAnswer(bytes: Uint8Array, start: number, end: number): number {
  return checked(sizeInAnswer(bytes, start, end))
}

/** What `VALUE key flags size` and `VA size` say, however much that is; -1: another line. */
export function sizeInAnswer(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] !== 0x56 || bytes[start + 1] !== 0x41) return -1
  const verb = tokenText(bytes, start, end, 0)
  return verb === 'VALUE'
    ? tokenNumber(bytes, start, end, 3)
    : verb === 'VA'
      ? tokenNumber(bytes, start, end, 1)
      : -1
}

function checked(size: number): number {
  if (size > MAX_ITEM_SIZE) throw new Malformed('data larger than an item can be')
  return size
}

/** Such a command is not answered. The word is the last one. */
export function saysNoreply(bytes: Uint8Array, start: number, end: number): boolean {
  let last = end
  while (last > start && bytes[last - 1] <= SPACE) last--
  return last - start > 8 && word(bytes, last - 7, last) === 'noreply' && bytes[last - 8] === SPACE
}
