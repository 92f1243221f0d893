import type { Side } from '@tapdeck/wire'
import type { QuickHeads } from '../../accelerated/quick-heads.ts'
import { latin1, word } from '../../text/text.ts'
import { HeadLines } from './head-lines.ts'
import { isTargetMalformed } from './probe.ts'

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const TAB = 0x09
const COLON = 0x3a
const CONTENT_LENGTH = name('content-length')
const CONTENT_TYPE = name('content-type')
const TRANSFER_ENCODING = name('transfer-encoding')
const UPGRADE = name('upgrade')

/** What a head says about how its message ends and what follows it. Used again and again, one head after the other. */
export class FramingHeaders {
  /** Request: its method. */
  method = ''
  status = 0
  /** -1: not given. */
  contentLength = -1
  transferEncoding = false
  /** Chunked is the last transfer coding: RFC 9112 §6.1. */
  chunked = false
  upgrade = ''
  /** Request: offset of the value of the content type in the head; -1: it has none. */
  typeStart = -1
  typeEnd = -1
  /** What a reader with other rules would have framed differently: RFC 9112 §11.2. */
  ambiguous = ''
  /** What no message may have, and servers have to refuse: RFC 9112 §3.2. */
  malformed = ''
  readonly #lines = new HeadLines()

  /** Takes over the last head that was read quickly. */
  takeQuick(heads: QuickHeads, side: Side): void {
    this.transferEncoding = false
    this.chunked = false
    this.upgrade = ''
    this.ambiguous = ''
    this.malformed = ''
    this.contentLength = heads.contentLength
    if (side === 0) {
      this.method = heads.method
      this.typeStart = heads.typeStart
      this.typeEnd = heads.typeEnd
    } else this.status = heads.status
  }

  /** Length of the head at `start`, in which no line ends before `from`: see `HeadLines.scan`. */
  scan(bytes: Uint8Array, start: number, end: number, from: number): number {
    return this.#lines.scan(bytes, start, end, from)
  }

  /** The same for a head of which the first `known` bytes were looked at before. */
  scanRest(bytes: Uint8Array, start: number, end: number, known: number): number {
    const length = this.#lines.scan(bytes, start, end, start + known)
    // Lines of the part that was known are not noted yet.
    return length > 0 ? this.#lines.scan(bytes, start, start + length, start) : length
  }

  /** Reads the head `bytes[start, end)` that was just measured; of a request, with `methodLength`. */
  read(bytes: Uint8Array, start: number, end: number, side: Side, methodLength: number): void {
    this.contentLength = -1
    this.transferEncoding = false
    this.chunked = false
    this.upgrade = ''
    this.ambiguous = ''
    this.malformed = side === 0 && isTargetMalformed ? 'blanks or control characters in the target' : ''
    this.typeStart = -1
    if (side === 0) this.method = word(bytes, start, start + methodLength)
    else {
      const at = start + 9
      this.status = (bytes[at] - 0x30) * 100 + (bytes[at + 1] - 0x30) * 10 + (bytes[at + 2] - 0x30)
    }
    const { starts, count } = this.#lines
    for (let i = 0; i < count; i++) this.#line(bytes, start, start + starts[i], end, side)
    if (this.transferEncoding && this.contentLength >= 0) {
      this.ambiguous = 'transfer-encoding and content-length'
      this.contentLength = -1
    }
  }

  #line(bytes: Uint8Array, head: number, start: number, end: number, side: Side): void {
    const initial = bytes[start] | 0x20
    if (initial === 0x63) {
      if (named(bytes, start, end, CONTENT_LENGTH)) this.#length(bytes, start + 15, end)
      else if (side === 0 && this.typeStart < 0 && named(bytes, start, end, CONTENT_TYPE))
        this.#type(bytes, head, start + 13, end)
    } else if (initial === 0x74) {
      if (named(bytes, start, end, TRANSFER_ENCODING)) this.#coding(bytes, start + 18, end)
    } else if (named(bytes, start, end, UPGRADE)) this.upgrade = value(bytes, start + 8, end).toLowerCase()
  }

  #type(bytes: Uint8Array, head: number, start: number, end: number): void {
    let at = start
    while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++
    this.typeStart = at - head
    while (at < end && bytes[at] !== CR && bytes[at] !== LF) at++
    this.typeEnd = at - head
  }

  #length(bytes: Uint8Array, start: number, end: number): void {
    let at = start
    while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++
    let length = 0
    const first = at
    while (at < end && bytes[at] >= 0x30 && bytes[at] <= 0x39) length = length * 10 + bytes[at++] - 0x30
    while (at < end && (bytes[at] === SPACE || bytes[at] === TAB || bytes[at] === CR)) at++
    const clean = at > first && at - first < 16 && bytes[at] === LF
    // RFC 9110 §8.6: a list of the same value over and over is that value.
    if (!clean) length = repeated(value(bytes, start, end))
    if (length < 0 || !Number.isSafeInteger(length)) this.ambiguous = 'content-length'
    else if (this.contentLength >= 0 && this.contentLength !== length) this.ambiguous = 'content-length'
    else this.contentLength = length
  }

  /** Several lines, and several codings a line, count in order; only the last decides. */
  #coding(bytes: Uint8Array, start: number, end: number): void {
    const codings = value(bytes, start, end).toLowerCase().split(',')
    const last = codings[codings.length - 1].trim()
    if (last === '' || last === 'identity') return
    this.transferEncoding = true
    this.chunked = last === 'chunked'
  }
}

function name(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Whether the line at `start` has that name, given in lower case, before its colon. Its initial is known. */
function named(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  const { length } = name
  if (start + length >= end || bytes[start + length] !== COLON) return false
  for (let i = 1; i < length; i++) if ((bytes[start + i] | 0x20) !== name[i]) return false
  return true
}

/** A field's value up to the end of its line, with folded lines (RFC 9112 §5.2). */
function value(bytes: Uint8Array, start: number, end: number): string {
  let at = start
  while (at < end && !(bytes[at] === LF && bytes[at + 1] !== SPACE && bytes[at + 1] !== TAB)) at++
  return latin1(bytes, start, Math.min(at, end))
    .replace(/\r?\n[ \t]+/g, ' ')
    .trim()
}

function repeated(list: string): number {
  const values = list.split(',').map((one) => one.trim())
  return values.every((one) => one === values[0] && /^\d{1,15}$/.test(one)) ? Number(values[0]) : -1
}
