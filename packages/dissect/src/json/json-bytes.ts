import { ScratchBytes } from '../memory/scratch-bytes.ts'
import { utf8 } from '../text/text.ts'
import { DIGITS, PADDED } from './digit-words.ts'
import { ESCAPED, escapeBits, writeEscape } from './json-escape.ts'
import { JsonFragment } from './json-fragment.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const DOT = 0x2e
/** Up to this length a byte loop is faster than `set`, and than `subarray` and `set`. */
const BYTE_LOOP_MAX = 12
const PART_LOOP_MAX = 40
/** Words are written whole and may overwrite this many bytes after the end. */
const SPARE = 8
/** Longer texts are scanned in pieces. */
const PIECE_SIZE = 1 << 14
/** From this length on, unescaped ASCII is written faster as a whole. */
const UTF8_WRITE_MIN = 32
/** The native method behind `Buffer.write`, called without creating a `Buffer`. */
const { utf8Write } = Buffer.prototype as unknown as {
  utf8Write(this: Uint8Array, text: string, at: number): number
}
/** The longest escape: `\u001b`. */
const MAX_ESCAPED = 6
/** Below this, microseconds divided by 1000 print exactly: doubles are closer than 0.001. */
const MAX_EXACT_MICROS = 4e15

/** Object keys seen so far, with quotes and colon. Nearly all are our own, and few. */
const keys = new Map<string, JsonFragment>()
const MAX_KEYS = 512
const PLAIN_KEY = /^[a-z0-9_]{1,40}$/i

/** The piece that is scanned. */
const staged = new ScratchBytes(PIECE_SIZE)

/** Writes JSON into a growing buffer, byte for byte as `JSON.stringify` does. */
export class JsonBytes {
  bytes: Uint8Array<ArrayBuffer>
  /** Position of the next byte. */
  at = 0
  #view: DataView

  constructor(room: number) {
    this.bytes = new Uint8Array(room + SPARE)
    this.#view = new DataView(this.bytes.buffer)
  }

  /** A view of the written bytes. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.at)
  }

  /** Starts again in other memory, because the old buffer now belongs to someone else: in `spare` if it is large enough. */
  renew(room: number, spare?: Uint8Array<ArrayBuffer>): void {
    const fits = spare !== undefined && spare.length >= room + SPARE
    this.bytes = fits ? spare : new Uint8Array(room + SPARE)
    this.#view = new DataView(this.bytes.buffer)
    this.at = 0
  }

  byte(value: number): void {
    this.#reserve(1)
    this.bytes[this.at++] = value
  }

  fragment({ words, length }: JsonFragment): void {
    this.words(words, 0, length)
  }

  /** `length` ASCII bytes from 8-byte words, starting at index `from`. */
  words(words: Float64Array, from: number, length: number): void {
    this.#reserve(length)
    const { at } = this
    const view = this.#view
    for (let i = 0; i < length; i += 8) view.setFloat64(at + i, words[from + (i >> 3)], true)
    this.at = at + length
  }

  /** All bytes, unescaped. */
  copy(from: Uint8Array): void {
    const { length } = from
    this.#reserve(length)
    const { bytes, at } = this
    if (length <= BYTE_LOOP_MAX) for (let i = 0; i < length; i++) bytes[at + i] = from[i]
    else bytes.set(from, at)
    this.at = at + length
  }

  /** `from[start, end)`, unescaped. */
  part(from: Uint8Array, start: number, end: number): void {
    const length = end - start
    this.#reserve(length)
    const { bytes, at } = this
    if (length <= PART_LOOP_MAX) for (let i = 0; i < length; i++) bytes[at + i] = from[start + i]
    else bytes.set(from.subarray(start, end), at)
    this.at = at + length
  }

  /** Repeats what was written at `[start, end)`. */
  again(start: number, end: number): void {
    const length = end - start
    this.#reserve(length)
    const { bytes, at } = this
    if (length <= BYTE_LOOP_MAX) for (let i = 0; i < length; i++) bytes[at + i] = bytes[start + i]
    else bytes.copyWithin(at, start, end)
    this.at = at + length
  }

  number(value: number): void {
    if (value >>> 0 === value) this.#digits(value)
    else if (Number.isSafeInteger(value) && value > 0) this.#long(value)
    else this.#ascii(Number.isFinite(value) ? String(value) : 'null')
  }

  /** Microseconds, written as milliseconds. */
  milliseconds(micros: number): void {
    if (!(micros >= 0 && micros < MAX_EXACT_MICROS) || Math.floor(micros) !== micros) {
      this.number(micros / 1000)
      return
    }
    const whole = Math.floor(micros / 1000)
    this.number(whole)
    const rest = micros - whole * 1000
    if (rest === 0) return
    this.#reserve(4)
    this.bytes[this.at++] = DOT
    this.#view.setInt32(this.at, PADDED[rest], true)
    this.at += rest % 10 !== 0 ? 3 : rest % 100 !== 0 ? 2 : 1
  }

  string(value: string): void {
    this.byte(QUOTE)
    this.characters(value)
    this.byte(QUOTE)
  }

  /** A string without its quotes. */
  characters(value: string): void {
    const { length } = value
    if (length > PIECE_SIZE) {
      this.#pieces(value)
      return
    }
    this.#reserve(length * MAX_ESCAPED)
    if (length >= UTF8_WRITE_MIN && utf8Write.call(staged.bytes, value, 0) === length) {
      // All of it is ASCII. Escapes of control characters that are not in text are written one by one.
      for (let at = 0; at < length; at++) {
        at = this.#escape(staged.view, at, length)
        if (at < length) this.at = writeEscape(this.bytes, this.at, staged.bytes[at])
      }
      return
    }
    const { bytes } = this
    let { at } = this
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code < 0x80) {
        if (code >= 0x20 && code !== QUOTE && code !== BACKSLASH) bytes[at++] = code
        else at = writeEscape(bytes, at, code)
      } else if (code < 0x800) {
        bytes[at++] = 0xc0 | (code >> 6)
        bytes[at++] = 0x80 | (code & 0x3f)
      } else if (code < 0xd800 || code > 0xdfff) {
        bytes[at++] = 0xe0 | (code >> 12)
        bytes[at++] = 0x80 | ((code >> 6) & 0x3f)
        bytes[at++] = 0x80 | (code & 0x3f)
      } else {
        const point = value.codePointAt(i)!
        if (point === code) at = writeEscape(bytes, at, code)
        else {
          bytes[at++] = 0xf0 | (point >> 18)
          bytes[at++] = 0x80 | ((point >> 12) & 0x3f)
          bytes[at++] = 0x80 | ((point >> 6) & 0x3f)
          bytes[at++] = 0x80 | (point & 0x3f)
          i++
        }
      }
    }
    this.at = at
  }

  #pieces(value: string): void {
    for (let start = 0; start < value.length; ) {
      let end = Math.min(value.length, start + PIECE_SIZE)
      // A pair of surrogates is one character.
      if (end < value.length && (value.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--
      this.characters(value.slice(start, end))
      start = end
    }
  }

  /** Printable characters as part of a string. `lower`: in lower case. */
  printable(from: Uint8Array, start: number, end: number, lower = false): void {
    this.#reserve((end - start) * 2)
    const { bytes } = this
    let { at } = this
    for (let i = start; i < end; i++) {
      const byte = from[i]
      if (byte === QUOTE || byte === BACKSLASH) bytes[at++] = BACKSLASH
      bytes[at++] = lower && byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
    }
    this.at = at
  }

  /** Bytes as a string. Returns false and writes nothing if they are not UTF-8, or contain control characters. */
  text(from: Uint8Array, start = 0, end = from.length): boolean {
    this.#reserve((end - start) * MAX_ESCAPED + 2)
    const before = this.at
    let isAscii = true
    this.bytes[this.at++] = QUOTE
    for (let piece = start; piece < end; piece += PIECE_SIZE) {
      const stop = Math.min(end, piece + PIECE_SIZE)
      staged.put(piece === 0 && stop === from.length ? from : from.subarray(piece, stop))
      for (let at = 0; ; at++) {
        at = this.#escape(staged.view, at, stop - piece)
        if (at === stop - piece) break
        const byte = staged.bytes[at]
        if (isAscii && byte >= 0x80) isAscii = utf8(from.subarray(piece + at, end)) === undefined
        if (isAscii || byte < 0x80) {
          this.at = before
          return false
        }
        this.bytes[this.at++] = byte
      }
    }
    this.bytes[this.at++] = QUOTE
    return true
  }

  /** Printable characters of `view[start, end)`, as part of a string. */
  staged({ view }: ScratchBytes, start: number, end: number): void {
    this.#reserve((end - start) * 2)
    this.#escape(view, start, end)
  }

  /** Writes `source[from, end)` escaped, up to a control or non-ASCII byte. Returns its position, or `end`. */
  #escape(source: DataView, from: number, end: number): number {
    const view = this.#view
    let { at } = this
    let i = from
    while (i < end) {
      const four = source.getInt32(i, true)
      const odd = escapeBits(four)
      view.setInt32(at, four, true)
      if (odd === 0) {
        at += 4
        i += 4
        continue
      }
      // The lowest set bit marks the first byte to escape. Higher bits may be set by the borrow of the subtraction.
      const first = (31 - Math.clz32(odd & -odd)) >> 3
      at += first
      i += first
      if (i >= end) break
      const byte = (four >>> (first << 3)) & 0xff
      if (ESCAPED[byte] === 0) {
        this.at = at
        return i
      }
      at = writeEscape(this.bytes, at, byte)
      i++
    }
    this.at = at - (i - end)
    return end
  }

  /** Any JSON value. */
  value(value: unknown): void {
    if (typeof value === 'string') this.string(value)
    else if (typeof value === 'number') this.number(value)
    else if (typeof value !== 'object' || value === null)
      this.#ascii(typeof value === 'boolean' ? String(value) : 'null')
    else if (Array.isArray(value)) this.#list(value)
    else this.object(value)
  }

  /** A member, if it has a value. `key` reaches from the comma to the colon. See `close`. */
  member(key: JsonFragment, value: unknown): void {
    if (value === undefined) return
    this.fragment(key)
    this.value(value)
  }

  /** Ends an object whose members, each with a leading comma, begin at `start`. */
  close(start: number): void {
    if (this.at === start) this.byte(COMMA)
    this.bytes[start] = 0x7b
    this.byte(0x7d)
  }

  object(value: object): void {
    let next = 0x7b
    for (const key in value) {
      const member = (value as Record<string, unknown>)[key]
      if (member === undefined) continue
      this.byte(next)
      next = COMMA
      this.#key(key)
      this.value(member)
    }
    if (next !== COMMA) this.byte(next)
    this.byte(0x7d)
  }

  /** The key of a member, after a comma. */
  key(key: string): void {
    this.byte(COMMA)
    this.#key(key)
  }

  #key(key: string): void {
    const known = keys.get(key)
    if (known !== undefined) {
      this.fragment(known)
      return
    }
    if (keys.size < MAX_KEYS && PLAIN_KEY.test(key)) keys.set(key, new JsonFragment(`"${key}":`))
    this.string(key)
    this.byte(COLON)
  }

  #list(value: readonly unknown[]): void {
    this.byte(0x5b)
    for (let i = 0; i < value.length; i++) {
      if (i > 0) this.byte(COMMA)
      this.value(value[i])
    }
    this.byte(0x5d)
  }

  #ascii(value: string): void {
    const { length } = value
    this.#reserve(length)
    for (let i = 0; i < length; i++) this.bytes[this.at++] = value.charCodeAt(i)
  }

  /** Below 2^32. */
  #digits(value: number): void {
    if (value < 1000) {
      this.#reserve(3)
      this.#view.setInt32(this.at, DIGITS[value], true)
      this.at += value < 10 ? 1 : value < 100 ? 2 : 3
      return
    }
    const thousands = Math.floor(value / 1000)
    this.#digits(thousands)
    this.#three(value - thousands * 1000)
  }

  #long(value: number): void {
    const high = Math.floor(value / 1e9)
    this.#digits(high)
    const rest = value - high * 1e9
    const millions = (rest / 1e6) | 0
    const thousands = (rest / 1e3) | 0
    this.#three(millions)
    this.#three(thousands - millions * 1000)
    this.#three(rest - thousands * 1000)
  }

  /** Three digits, with leading zeros. */
  #three(value: number): void {
    this.#reserve(3)
    this.#view.setInt32(this.at, PADDED[value], true)
    this.at += 3
  }

  #reserve(more: number): void {
    if (this.at + more + SPARE <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.at + more + SPARE))
    grown.set(this.bytes.subarray(0, this.at))
    this.bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}
