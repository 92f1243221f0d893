import { shadow, viewOf } from '@tapdeck/wire'
import type { Arena } from './arena.ts'
import { copyInShadow } from './copy-in-shadow.ts'
import { oddCharacters } from './odd-characters.ts'
import type { SteadyBytes } from './steady-bytes.ts'

const FIRST = 256
/** Longer texts are cheaper by the encoder, shorter ones character by character. */
const SHORT = 512
/** Fewer bytes are faster one by one than by a view and a copy. */
const FEW = 48
const SPACE = 0x20
const QUOTE = 0x22
const DOT = 0x2e
const BACKSLASH = 0x5c
const LONGEST_VARINT = 8
/** Of four bytes that are all ASCII none is set. */
const HIGH_BITS = 0x8080_8080 | 0
/** A byte, six varints and three doubles. */
const LONGEST_AROUND = 1 + 6 * LONGEST_VARINT + 24
const encoder = new TextEncoder()
/** More bytes are cheaper by a view of them and a copy. */
const MANY = 200
/** Looked up on an array each time it costs a third of a short copy. */
const { set } = Uint8Array.prototype
/** Fewer bytes are as fast by words as by code that copies within the shadow's memory. */
const SOME = 24
/** A function of its own: to look it up costs as much as to call it. */
const { base: shadowBase } = shadow

/** Appends numbers and bytes to a buffer that grows. */
export class ByteWriter {
  #bytes: Uint8Array
  #view: DataView
  #length = 0
  /** Where they stand in the memory of the shadow; 0: elsewhere. */
  #room: number

  /** Where it begins to write, or how much room it has at first. */
  constructor(memory: number | Uint8Array = FIRST) {
    const bytes = typeof memory === 'number' ? new Uint8Array(memory) : memory
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#room = bytes.buffer === shadow.memory.buffer ? bytes.byteOffset : 0
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

  /** LEB128 of a whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.#reserve(LONGEST_VARINT)
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
    if (length <= FEW) this.short(value, length)
    else this.raw(value)
  }

  /**
   * The parts of a half of a call, as far as it has them, behind its kind and what tells them: the same as one after the
   * other, but room is asked for once, because most halves are written here. Head and body are told by where they stand.
   */
  half(
    kind: number,
    parts: number,
    key: number | undefined,
    headIn: Uint8Array | undefined,
    headAt: number,
    headEnd: number,
    bodyIn: Uint8Array | undefined,
    bodyAt: number,
    bodyEnd: number,
    bodySize: number | undefined,
    fields: SteadyBytes | undefined,
    start: number,
    end: number,
    size: number,
  ): void {
    const length = headEnd - headAt + bodyEnd - bodyAt + (fields === undefined ? 0 : fields.bytes.length)
    this.#reserve(length + LONGEST_AROUND)
    const bytes = this.#bytes
    const view = this.#view
    let at = this.#length
    bytes[at] = kind
    at = putVarint(bytes, at + 1, parts)
    if (key !== undefined) {
      view.setFloat64(at, key)
      at += 8
    }
    if (headIn !== undefined) at = this.#put(at, headIn, headAt, headEnd)
    if (bodyIn !== undefined) at = this.#put(at, bodyIn, bodyAt, bodyEnd)
    if (bodySize !== undefined) at = putVarint(bytes, at, bodySize)
    if (fields !== undefined) at = this.#putSteady(at, fields)
    view.setFloat64(at, start)
    view.setFloat64(at + 8, end)
    this.#length = putVarint(bytes, at + 16, size)
  }

  /** The same of a half that has a head and nothing else, or a key besides. */
  plainHalf(
    kind: number,
    parts: number,
    key: number | undefined,
    headIn: Uint8Array,
    headAt: number,
    headEnd: number,
    start: number,
    end: number,
    size: number,
  ): void {
    this.#reserve(headEnd - headAt + LONGEST_AROUND)
    const bytes = this.#bytes
    const view = this.#view
    bytes[this.#length] = kind
    let at = putVarint(bytes, this.#length + 1, parts)
    if (key !== undefined) {
      view.setFloat64(at, key)
      at += 8
    }
    at = this.#put(at, headIn, headAt, headEnd)
    view.setFloat64(at, start)
    view.setFloat64(at + 8, end)
    this.#length = putVarint(bytes, at + 16, size)
  }

  /** `source[from, to)` alone, where all of it is ASCII; otherwise false, and nothing is written. */
  ascii(source: Uint8Array, from: number, to: number): boolean {
    const length = to - from
    this.#reserve(length)
    if ((this.#copy(this.#length, source, viewOf(source), from, length) & HIGH_BITS) !== 0) return false
    this.#length += length
    return true
  }

  /**
   * The labels in `source[from, to)`, which is a name of DNS without its end, and dots between them; otherwise, where a character
   * of theirs does not stand for itself in a name, false, and nothing is written.
   */
  labels(source: Uint8Array, from: number, to: number): boolean {
    const length = to - from - 1
    this.#reserve(length)
    const bytes = this.#bytes
    const at = this.#length
    const given = viewOf(source)
    const taken = this.#view
    const first = from + 1
    // A counter in each byte: a name has too few words for them to flow over.
    let odd = 0
    let i = 0
    for (const last = length - 3; i < last; i += 4) {
      const four = given.getInt32(first + i, true)
      taken.setInt32(at + i, four, true)
      odd = (odd + oddCharacters(four)) | 0
    }
    for (; i < length; i++) {
      const byte = source[first + i]
      bytes[at + i] = byte
      odd = (odd + (oddCharacters(byte) & 1)) | 0
    }
    let lengths = 0
    for (let place = first + source[from]; place < to; ) {
      const size = source[place]
      lengths += oddCharacters(size) & 1
      bytes[at + place - first] = DOT
      place += size + 1
    }
    if (Math.imul(odd, 0x0101_0101) >>> 24 !== lengths) return false
    this.#length = at + length
    return true
  }

  /** The bytes alone. */
  steady({ bytes, view }: SteadyBytes): void {
    const { length } = bytes
    this.#reserve(length)
    if (length > MANY) set.call(this.#bytes, bytes, this.#length)
    else this.#copy(this.#length, bytes, view, 0, length)
    this.#length += length
  }

  /** The bytes alone. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length)
    set.call(this.#bytes, value, this.#length)
    this.#length += value.length
  }

  /** The first of a few bytes, one by one. */
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
    if (value.length <= SHORT && this.#ascii(value, 0)) return
    this.#length = start
    this.bytes(encoder.encode(value))
  }

  /** The text as UTF-8 alone. */
  utf8(value: string): void {
    if (value.length > SHORT || !this.#ascii(value, 0)) this.raw(encoder.encode(value))
  }

  /** The text as it stands, where that is the same in JSON and in UTF-8; otherwise false, and nothing is written. */
  plain(value: string): boolean {
    return value.length <= SHORT && this.#ascii(value, SPACE)
  }

  /** A whole number from 0 to 2^31 - 1 in decimal digits. */
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

  /** What was written since the byte at `start`, which was left for that, gets its length before it. */
  sized(start: number): void {
    const length = this.#length - start - 1
    const wanted = length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : 8
    if (wanted > 1) {
      this.#reserve(wanted)
      this.#bytes.copyWithin(start + wanted, start + 1, this.#length)
    }
    this.#length = start
    this.varint(length)
    // A length this long is as short as it can be, and need not fill its room.
    if (wanted === 8) this.#bytes.copyWithin(this.#length, start + wanted, start + wanted + length)
    this.#length += length
  }

  /** Forgets what was written after the first `length` bytes. */
  cut(length: number): void {
    this.#length = length
  }

  /** What was written, as a view that is true until more is written. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** What was written, as a slice of an arena. */
  take(arena: Arena): Uint8Array {
    const written = arena.copy(this.#bytes, 0, this.#length)
    this.#length = 0
    return written
  }

  /** Writes characters from `lowest` on that need no escape there; gives up at any other. */
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

  /** A length, then `source[from, to)`, for which there is room, and for some bytes more. Returns where they end. */
  #put(start: number, source: Uint8Array, from: number, to: number): number {
    const bytes = this.#bytes
    const length = to - from
    const at = putVarint(bytes, start, length)
    if (this.#room > 0 && length > SOME && shadow.shows(source, from, to))
      copyInShadow(shadowBase + from, shadowBase + to, this.#room + at)
    else if (length === source.length) {
      if (length <= FEW) for (let i = 0; i < length; i++) bytes[at + i] = source[i]
      else set.call(bytes, source, at)
    } else if (length > MANY) set.call(bytes, source.subarray(from, to), at)
    else this.#copy(at, source, viewOf(source), from, length)
    return at + length
  }

  #putSteady(start: number, { bytes, view }: SteadyBytes): number {
    const { length } = bytes
    const at = putVarint(this.#bytes, start, length)
    if (length > MANY) set.call(this.#bytes, bytes, at)
    else this.#copy(at, bytes, view, 0, length)
    return at + length
  }

  /** Copies by words what there is room for. The bits that are set in any of them tell whether all of it is ASCII. */
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
    // Each store makes the compiler look both views up again: four at a time.
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
    // Some of these are there already.
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
    this.#room = 0
  }
}

/** Returns where it ends. */
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
