import { viewOf } from '@tapdeck/wire'
import type { Arena } from '../memory/arena.ts'
import type { CachedBytes } from '../memory/cached-bytes.ts'
import { specialNameBytes } from '../text/special-name-bytes.ts'
import { type MessageParts, PARTS } from './message-parts.ts'

const INITIAL_SIZE = 256
/** Up to this length a character loop is faster than `TextEncoder`. */
const CHAR_LOOP_MAX = 512
/** Up to this length a byte loop is faster than `TypedArray.set`. */
const BYTE_LOOP_MAX = 48
const SPACE = 0x20
const QUOTE = 0x22
const DOT = 0x2e
const BACKSLASH = 0x5c
const MAX_VARINT = 8
/** Set in no byte of ASCII text. */
const HIGH_BITS = 0x8080_8080 | 0
/** A byte, eight varints and three doubles. */
const MAX_FIXED_PARTS = 1 + 8 * MAX_VARINT + 24
const RARE = PARTS.textKey | PARTS.protocol
const encoder = new TextEncoder()
/** Up to this length copying words is faster than a subarray and `set`. */
const WORD_COPY_MAX = 200
/** Resolved once: the property lookup costs a third of a short copy. */
const { set } = Uint8Array.prototype

/** Appends numbers, bytes and text to a growing buffer. */
export class ByteWriter {
  #bytes: Uint8Array
  #view: DataView
  #length = 0

  /** Either the buffer to start in, or its initial size. */
  constructor(memory: number | Uint8Array = INITIAL_SIZE) {
    const bytes = typeof memory === 'number' ? new Uint8Array(memory) : memory
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get length(): number {
    return this.#length
  }

  get capacity(): number {
    return this.#bytes.length
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** LEB128 of an integer from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.#reserve(MAX_VARINT)
    this.#length = putVarint(this.#bytes, this.#length, value)
  }

  double(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value)
    this.#length += 8
  }

  /** Little endian. */
  uint32(value: number): void {
    this.#reserve(4)
    this.#view.setUint32(this.#length, value, true)
    this.#length += 4
  }

  /** A length, then the bytes. */
  bytes(value: Uint8Array): void {
    const { length } = value
    this.varint(length)
    if (length <= BYTE_LOOP_MAX) this.short(value, length)
    else this.raw(value)
  }

  /** A whole message: kind, bit set of its parts, then the parts. Space for all of it is reserved once. */
  message(message: MessageParts): void {
    const { parts, fields } = message
    this.#reserve(MAX_FIXED_PARTS + bytesOf(message))
    const bytes = this.#bytes
    const view = this.#view
    bytes[this.#length] = message.kind
    let at = putVarint(bytes, this.#length + 1, parts)
    if (parts & PARTS.numberKey) {
      view.setFloat64(at, message.key)
      at += 8
    }
    if (parts & RARE) {
      if (parts & PARTS.textKey) at = this.#put(at, message.textKey, 0, message.textKey.length)
      if (parts & PARTS.protocol) at = this.#put(at, message.protocol, 0, message.protocol.length)
    }
    if (parts & PARTS.head) at = this.#put(at, message.headIn, message.headAt, message.headEnd)
    if (parts & PARTS.body) at = this.#put(at, message.bodyIn, message.bodyAt, message.bodyEnd)
    if (parts & PARTS.bodySize) at = putVarint(bytes, at, message.bodySize)
    if (parts & PARTS.fields)
      at =
        fields === undefined
          ? this.#put(at, message.json, 0, message.json.length)
          : this.#putCached(at, fields)
    if (parts & PARTS.start) {
      view.setFloat64(at, message.start)
      at += 8
    }
    if (parts & PARTS.end) {
      view.setFloat64(at, message.end)
      at += 8
    }
    this.#length = parts & PARTS.size ? putVarint(bytes, at, message.size) : at
  }

  /** Appends `source[from, to)` if all of it is ASCII. Otherwise returns false and writes nothing. */
  ascii(source: Uint8Array, from: number, to: number): boolean {
    const length = to - from
    this.#reserve(length)
    if ((this.#copy(this.#length, source, viewOf(source), from, length) & HIGH_BITS) !== 0) return false
    this.#length += length
    return true
  }

  /**
   * Appends the labels of a DNS name, `source[from, to)` without its end, joined by dots. Returns false and writes
   * nothing if a character would need escaping.
   */
  labels(source: Uint8Array, from: number, to: number): boolean {
    const length = to - from - 1
    this.#reserve(length)
    const bytes = this.#bytes
    const at = this.#length
    const given = viewOf(source)
    const taken = this.#view
    const first = from + 1
    // One counter in each byte. A name has too few words for a counter to overflow.
    let odd = 0
    let i = 0
    for (const last = length - 3; i < last; i += 4) {
      const four = given.getInt32(first + i, true)
      taken.setInt32(at + i, four, true)
      odd = (odd + specialNameBytes(four)) | 0
    }
    for (; i < length; i++) {
      const byte = source[first + i]
      bytes[at + i] = byte
      odd = (odd + (specialNameBytes(byte) & 1)) | 0
    }
    let lengths = 0
    for (let place = first + source[from]; place < to; ) {
      const size = source[place]
      lengths += specialNameBytes(size) & 1
      bytes[at + place - first] = DOT
      place += size + 1
    }
    if (Math.imul(odd, 0x0101_0101) >>> 24 !== lengths) return false
    this.#length = at + length
    return true
  }

  /** Without a length. */
  cached({ bytes, view }: CachedBytes): void {
    const { length } = bytes
    this.#reserve(length)
    if (length > WORD_COPY_MAX) set.call(this.#bytes, bytes, this.#length)
    else this.#copy(this.#length, bytes, view, 0, length)
    this.#length += length
  }

  /** Without a length. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length)
    set.call(this.#bytes, value, this.#length)
    this.#length += value.length
  }

  /** Without a length, byte by byte: for few bytes. */
  short(value: Uint8Array, length: number): void {
    this.#reserve(length)
    const bytes = this.#bytes
    const at = this.#length
    for (let i = 0; i < length; i++) bytes[at + i] = value[i]
    this.#length = at + length
  }

  /** A length, then the text as UTF-8. */
  text(value: string): void {
    const start = this.#length
    this.varint(value.length)
    if (value.length <= CHAR_LOOP_MAX && this.#ascii(value, 0)) return
    this.#length = start
    this.bytes(encoder.encode(value))
  }

  /** The text as UTF-8, without a length. */
  utf8(value: string): void {
    if (value.length > CHAR_LOOP_MAX || !this.#ascii(value, 0)) this.raw(encoder.encode(value))
  }

  /** Appends text that is the same in JSON and in UTF-8. Returns false and writes nothing for other text. */
  plain(value: string): boolean {
    return value.length <= CHAR_LOOP_MAX && this.#ascii(value, SPACE)
  }

  /** Decimal digits of an integer from 0 to 2^31 - 1. */
  digits(value: number): void {
    this.#reserve(10)
    const bytes = this.#bytes
    let length = 1
    for (let rest = value; rest > 9; rest = (rest / 10) | 0) length++
    const at = this.#length
    this.#length = at + length
    let rest = value
    for (let i = at + length - 1; i >= at; i--) {
      const tenth = (rest / 10) | 0
      bytes[i] = 0x30 + rest - tenth * 10
      rest = tenth
    }
  }

  /** Drops everything after the first `length` bytes. */
  cut(length: number): void {
    this.#length = length
  }

  /** A view, valid until more is written. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** A slice of the arena; the writer is empty afterwards. */
  take(arena: Arena): Uint8Array {
    const written = arena.copy(this.#bytes, 0, this.#length)
    this.#length = 0
    return written
  }

  /** Writes characters from `lowest` up that need no escape; returns false at any other. */
  #ascii(value: string, lowest: number): boolean {
    const { length } = value
    this.#reserve(length)
    const bytes = this.#bytes
    const at = this.#length
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code > 0x7e || code < lowest || (lowest > 0 && (code === QUOTE || code === BACKSLASH))) return false
      bytes[at + i] = code
    }
    this.#length = at + length
    return true
  }

  /** A length, then `source[from, to)`. Space is reserved already. Returns the end position. */
  #put(start: number, source: Uint8Array, from: number, to: number): number {
    const bytes = this.#bytes
    const length = to - from
    const at = putVarint(bytes, start, length)
    if (length === source.length) {
      if (length <= BYTE_LOOP_MAX) for (let i = 0; i < length; i++) bytes[at + i] = source[i]
      else set.call(bytes, source, at)
    } else if (length > WORD_COPY_MAX) set.call(bytes, source.subarray(from, to), at)
    else this.#copy(at, source, viewOf(source), from, length)
    return at + length
  }

  #putCached(start: number, { bytes, view }: CachedBytes): number {
    const { length } = bytes
    const at = putVarint(this.#bytes, start, length)
    if (length > WORD_COPY_MAX) set.call(this.#bytes, bytes, at)
    else this.#copy(at, bytes, view, 0, length)
    return at + length
  }

  /** Copies words within reserved space. Returns all bits that are set in any word, which shows whether all is ASCII. */
  #copy(at: number, source: Uint8Array, given: DataView, from: number, length: number): number {
    let bits = 0
    if (length < 8) {
      const bytes = this.#bytes
      for (let i = 0; i < length; i++) {
        const byte = source[from + i]
        bits |= byte
        bytes[at + i] = byte
      }
      return bits
    }
    const taken = this.#view
    const last = length - 8
    let i = 0
    // After each store the compiler reloads both views, so load four words first.
    for (const far = length - 16; i < far; i += 16) {
      const first = given.getInt32(from + i, true)
      const second = given.getInt32(from + i + 4, true)
      const third = given.getInt32(from + i + 8, true)
      const fourth = given.getInt32(from + i + 12, true)
      taken.setInt32(at + i, first, true)
      taken.setInt32(at + i + 4, second, true)
      taken.setInt32(at + i + 8, third, true)
      taken.setInt32(at + i + 12, fourth, true)
      bits |= first | second | third | fourth
    }
    for (; i < last; i += 8) {
      const one = given.getInt32(from + i, true)
      const other = given.getInt32(from + i + 4, true)
      taken.setInt32(at + i, one, true)
      taken.setInt32(at + i + 4, other, true)
      bits |= one | other
    }
    // These words may overlap those copied above.
    const one = given.getInt32(from + last, true)
    const other = given.getInt32(from + last + 4, true)
    taken.setInt32(at + last, one, true)
    taken.setInt32(at + last + 4, other, true)
    return bits | one | other
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}

/** Returns the end position. */
function putVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start
  let rest = value
  while (rest > 0x7fff_ffff) {
    bytes[at++] = (rest % 128) | 0x80
    rest = Math.floor(rest / 128)
  }
  while (rest > 0x7f) {
    bytes[at++] = rest | 0x80
    rest >>= 7
  }
  bytes[at] = rest
  return at + 1
}

/** Bytes of the parts of variable length. */
function bytesOf(message: MessageParts): number {
  const { parts, fields } = message
  let length = 0
  if (parts & PARTS.head) length += message.headEnd - message.headAt
  if (parts & PARTS.body) length += message.bodyEnd - message.bodyAt
  if (parts & PARTS.fields) length += fields === undefined ? message.json.length : fields.bytes.length
  if (parts & PARTS.textKey) length += message.textKey.length
  if (parts & PARTS.protocol) length += message.protocol.length
  return length
}
