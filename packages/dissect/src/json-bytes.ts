import { utf8 } from './text.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const DOT = 0x2e
const ZERO = 0x30
/** Up to here a loop copies faster than a call. */
const SHORT = 96
/** From here on, what has no escapes is written faster as a whole. */
const LONG = 64
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ODD = /["\\\x00-\x1f\ud800-\udfff]/
/** What `Buffer.write` calls: it spares a `Buffer`. */
const { utf8Write } = Buffer.prototype as unknown as {
  utf8Write(this: Uint8Array, text: string, at: number): number
}
/** No character needs more in JSON: `\u001b`. */
const WIDEST = 6
/** Below this, a time in microseconds has exactly its digits in milliseconds: their doubles lie closer than a thousandth. */
const EXACT = 4e15

/** What a byte is in a JSON string: itself, an escape, nothing that text has, part of a longer character. */
const PLAIN = 0
const ESCAPED = 1
const CONTROL = 2
const LONGER = 3
const KINDS = new Uint8Array(256)
KINDS.fill(CONTROL, 0, 0x20)
KINDS.fill(LONGER, 0x80)
for (const byte of [QUOTE, BACKSLASH, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]) KINDS[byte] = ESCAPED

/** The letter of those escapes that have one. */
const LETTERS = new Uint8Array(128)
for (const [code, letter] of Object.entries({ 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r', 34: '"', 92: '\\' }))
  LETTERS[Number(code)] = letter.charCodeAt(0)
const HEX = ascii('0123456789abcdef')

/** Text that is the same in JSON, as bytes: keys and what stands between values, made ready once. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/** Writes JSON, byte for byte what `JSON.stringify` makes of it, into one buffer that grows. */
export class JsonBytes {
  bytes: Uint8Array<ArrayBuffer>
  /** Where the next byte goes. */
  at = 0

  constructor(room: number) {
    this.bytes = new Uint8Array(room)
  }

  /** What is in it, in a buffer that is now the caller's; begins anew with so much room. */
  take(room: number): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.subarray(0, this.at)
    this.bytes = new Uint8Array(room)
    this.at = 0
    return taken
  }

  byte(value: number): void {
    this.#reserve(1)
    this.bytes[this.at++] = value
  }

  /** Bytes as they are. */
  copy(from: Uint8Array, start = 0, end = from.length): void {
    const length = end - start
    this.#reserve(length)
    const { bytes, at } = this
    if (length <= SHORT) for (let i = 0; i < length; i++) bytes[at + i] = from[start + i]
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
    const { bytes } = this
    bytes[this.at++] = DOT
    bytes[this.at++] = ZERO + ((rest / 100) | 0)
    if (rest % 100 === 0) return
    bytes[this.at++] = ZERO + (((rest / 10) | 0) % 10)
    if (rest % 10 !== 0) bytes[this.at++] = ZERO + (rest % 10)
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
    if (length >= LONG && !ODD.test(value)) {
      this.at = at + utf8Write.call(bytes, value, at)
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

  /** Bytes as the text that they are. False, and nothing is written, where they are none: no UTF-8, or with controls. */
  text(from: Uint8Array, start = 0, end = from.length): boolean {
    this.#reserve((end - start) * WIDEST + 2)
    const { bytes } = this
    let { at } = this
    let isChecked = false
    bytes[at++] = QUOTE
    for (let i = start; i < end; i++) {
      const byte = from[i]
      const kind = KINDS[byte]
      if (kind === PLAIN) bytes[at++] = byte
      else if (kind === ESCAPED) at = writeEscape(bytes, at, byte)
      else if (kind === CONTROL) return false
      else {
        isChecked ||= utf8(from.subarray(i, end)) !== undefined
        if (!isChecked) return false
        bytes[at++] = byte
      }
    }
    bytes[at++] = QUOTE
    this.at = at
    return true
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
  member(key: Uint8Array, value: unknown): void {
    if (value === undefined) return
    this.copy(key)
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
      this.string(key)
      this.byte(COLON)
      this.value(member)
    }
    if (next !== COMMA) this.byte(next)
    this.byte(0x7d)
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
    let length = 1
    for (let power = 10; power <= value; power *= 10) length++
    this.#reserve(length)
    const { bytes, at } = this
    let rest = value
    for (let i = at + length - 1; i >= at; i--) {
      const tenth = Math.floor(rest / 10)
      bytes[i] = ZERO + rest - tenth * 10
      rest = tenth
    }
    this.at = at + length
  }

  #long(value: number): void {
    const high = Math.floor(value / 1e9)
    this.#digits(high)
    this.#reserve(9)
    const { bytes, at } = this
    let rest = value - high * 1e9
    for (let i = at + 8; i >= at; i--) {
      const tenth = (rest / 10) | 0
      bytes[i] = ZERO + rest - tenth * 10
      rest = tenth
    }
    this.at = at + 9
  }

  #reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.at + more))
    grown.set(this.bytes.subarray(0, this.at))
    this.bytes = grown
  }
}

function writeEscape(bytes: Uint8Array, from: number, code: number): number {
  let at = from
  bytes[at++] = BACKSLASH
  const letter = code < 0x80 ? LETTERS[code] : 0
  if (letter !== 0) {
    bytes[at++] = letter
    return at
  }
  bytes[at++] = 0x75
  bytes[at++] = HEX[code >> 12]
  bytes[at++] = HEX[(code >> 8) & 15]
  bytes[at++] = HEX[(code >> 4) & 15]
  bytes[at++] = HEX[code & 15]
  return at
}
