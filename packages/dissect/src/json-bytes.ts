import { DIGITS, PADDED } from './digit-words.ts'
import { ESCAPED, oddOf, writeEscape } from './json-escape.ts'
import { Phrase } from './phrase.ts'
import { StagedBytes } from './staged-bytes.ts'
import { utf8 } from './text.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const DOT = 0x2e
/** Up to here a loop copies faster than a call, and than a call that needs a view first. */
const SHORT = 12
const SHORT_PART = 40
/** What may be overwritten behind what is written: words go out whole. */
const SPARE = 8
/** Longer texts are looked through piece by piece. */
const PIECE = 1 << 14
/** From here on, ASCII without escapes is written faster as a whole. */
const LONG = 32
/** What `Buffer.write` calls: it spares a `Buffer`. */
const { utf8Write } = Buffer.prototype as unknown as {
  utf8Write(this: Uint8Array, text: string, at: number): number
}
const FOUR_SPACES = 0x20202020
/** No character needs more in JSON: `\u001b`. */
const WIDEST = 6
/** Below this, a time in microseconds has exactly its digits in milliseconds: their doubles lie closer than a thousandth. */
const EXACT = 4e15

/** Keys of objects as they were met, with quotes and colon: nearly all are ours, and few. */
const keys = new Map<string, Phrase>()
const MOST_KEYS = 512
const PLAIN_KEY = /^[a-z0-9_]{1,40}$/i

/** The text that is looked through. */
const staged = new StagedBytes(PIECE)

/** Writes JSON, byte for byte what `JSON.stringify` makes of it, into one buffer that grows. */
export class JsonBytes {
  bytes: Uint8Array<ArrayBuffer>
  /** Where the next byte goes. */
  at = 0
  #view: DataView

  constructor(room: number) {
    this.bytes = new Uint8Array(room + SPARE)
    this.#view = new DataView(this.bytes.buffer)
  }

  /** What is in it. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.at)
  }

  /** Begins anew, in other memory where what was written is somebody else's now: in `spare`, if that has so much room. */
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

  phrase({ words, length }: Phrase): void {
    this.words(words, 0, length)
  }

  /** So many bytes, that stand in words of eight from `from` on. ASCII alone. */
  words(words: Float64Array, from: number, length: number): void {
    this.#reserve(length)
    const { at } = this
    const view = this.#view
    for (let i = 0; i < length; i += 8) view.setFloat64(at + i, words[from + (i >> 3)], true)
    this.at = at + length
  }

  /** Bytes as they are, all of them. */
  copy(from: Uint8Array): void {
    const { length } = from
    this.#reserve(length)
    const { bytes, at } = this
    if (length <= SHORT) for (let i = 0; i < length; i++) bytes[at + i] = from[i]
    else bytes.set(from, at)
    this.at = at + length
  }

  /** Bytes as they are, from `start` to `end`. */
  part(from: Uint8Array, start: number, end: number): void {
    const length = end - start
    this.#reserve(length)
    const { bytes, at } = this
    if (length <= SHORT_PART) for (let i = 0; i < length; i++) bytes[at + i] = from[start + i]
    else bytes.set(from.subarray(start, end), at)
    this.at = at + length
  }

  /** What stands at `[start, end)` once more. */
  again(start: number, end: number): void {
    const length = end - start
    this.#reserve(length)
    const { bytes, at } = this
    if (length <= SHORT) for (let i = 0; i < length; i++) bytes[at + i] = bytes[start + i]
    else bytes.copyWithin(at, start, end)
    this.at = at + length
  }

  number(value: number): void {
    if (value >>> 0 === value) this.#digits(value)
    else if (Number.isSafeInteger(value) && value > 0) this.#long(value)
    else this.#ascii(Number.isFinite(value) ? String(value) : 'null')
  }

  /** A time in microseconds as milliseconds. */
  milliseconds(micros: number): void {
    if (!(micros >= 0 && micros < EXACT) || Math.floor(micros) !== micros) {
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

  /** The middle of a string. */
  characters(value: string): void {
    const { length } = value
    this.#reserve(length * WIDEST)
    const { bytes } = this
    let { at } = this
    if (length >= LONG && utf8Write.call(bytes, value, at) === length && this.#isPlain(at, at + length)) {
      this.at = at + length
      return
    }
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

  /** Whether nothing is escaped of what stands there. Of what comes after it nothing is kept. */
  #isPlain(start: number, end: number): boolean {
    const view = this.#view
    view.setInt32(end, FOUR_SPACES, true)
    for (let at = start; at < end; at += 4) if (oddOf(view.getInt32(at, true)) !== 0) return false
    return true
  }

  /** Printable characters without a backslash, as the middle of a string. False, and nothing is written, for others. */
  plain(from: Uint8Array, start: number, end: number): boolean {
    this.#reserve((end - start) * 2)
    const { bytes } = this
    let { at } = this
    for (let i = start; i < end; i++) {
      const byte = from[i]
      if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return false
      if (byte === QUOTE) bytes[at++] = BACKSLASH
      bytes[at++] = byte
    }
    this.at = at
    return true
  }

  /** Printable characters without quotes around: the middle of a string. `lower`: capitals become small. */
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

  /** Printable characters as the middle of a string that stands, as JSON, in the middle of another. */
  twice(from: Uint8Array, start: number, end: number): void {
    this.#reserve((end - start) * 4)
    const { bytes } = this
    let { at } = this
    for (let i = start; i < end; i++) {
      const byte = from[i]
      if (byte === QUOTE || byte === BACKSLASH) {
        bytes[at++] = BACKSLASH
        bytes[at++] = BACKSLASH
        bytes[at++] = BACKSLASH
      }
      bytes[at++] = byte
    }
    this.at = at
  }

  /** Bytes as the text that they are. False, and nothing is written, where they are none: no UTF-8, or with controls. */
  text(from: Uint8Array, start = 0, end = from.length): boolean {
    this.#reserve((end - start) * WIDEST + 2)
    const before = this.at
    let isAscii = true
    this.bytes[this.at++] = QUOTE
    for (let piece = start; piece < end; piece += PIECE) {
      const stop = Math.min(end, piece + PIECE)
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

  /** Printable characters of `from`, as the middle of a string. */
  staged({ view }: StagedBytes, start: number, end: number): void {
    this.#reserve((end - start) * 2)
    this.#escape(view, start, end)
  }

  /** Writes `view[from, end)`, escaped, up to a byte that is a control or not ASCII, and says where that is, or `end`. */
  #escape(source: DataView, from: number, end: number): number {
    const view = this.#view
    let { at } = this
    let i = from
    while (i < end) {
      const four = source.getInt32(i, true)
      const odd = oddOf(four)
      view.setInt32(at, four, true)
      if (odd === 0) {
        at += 4
        i += 4
        continue
      }
      // The lowest bit tells the first of them; after that one, a borrow may have set others.
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

  /** Anything that JSON can say. */
  value(value: unknown): void {
    if (typeof value === 'string') this.string(value)
    else if (typeof value === 'number') this.number(value)
    else if (typeof value !== 'object' || value === null)
      this.#ascii(typeof value === 'boolean' ? String(value) : 'null')
    else if (Array.isArray(value)) this.#list(value)
    else this.object(value)
  }

  /** A member of an object, where it has a value; `key` is all from the comma to the colon. See `close`. */
  member(key: Phrase, value: unknown): void {
    if (value === undefined) return
    this.phrase(key)
    this.value(value)
  }

  /** Ends the object whose members, each with a comma before it, begin at `start`. */
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

  #key(key: string): void {
    const known = keys.get(key)
    if (known !== undefined) {
      this.phrase(known)
      return
    }
    if (keys.size < MOST_KEYS && PLAIN_KEY.test(key)) keys.set(key, new Phrase(`"${key}":`))
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

  /** Up to 2^32. */
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

  /** Below a thousand, with zeros before it. */
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
