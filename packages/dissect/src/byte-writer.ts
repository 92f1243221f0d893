import type { Arena } from './arena.ts'

const FIRST = 256
/** Longer texts are cheaper by the encoder, shorter ones character by character. */
const SHORT = 512
/** Fewer bytes are faster one by one than by a view and a copy. */
const FEW = 48
const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const LONGEST_VARINT = 8
/** A byte, three varints and two doubles. */
const LONGEST_AROUND = 1 + 3 * LONGEST_VARINT + 16
const encoder = new TextEncoder()

/** Appends numbers and bytes to a buffer that grows. */
export class ByteWriter {
  #bytes: Uint8Array
  #view: DataView
  #length = 0

  constructor(capacity = FIRST) {
    this.#bytes = new Uint8Array(capacity)
    this.#view = new DataView(this.#bytes.buffer)
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
   * A byte, a varint, a length and bytes, two doubles, a varint: the same as one after the other, but in one go, because
   * most halves of a call are this.
   */
  half(kind: number, parts: number, head: Uint8Array, start: number, end: number, size: number): void {
    const { length } = head
    this.#reserve(length + LONGEST_AROUND)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = kind
    at = putVarint(bytes, at, parts)
    at = putVarint(bytes, at, length)
    if (length <= FEW) for (let i = 0; i < length; i++) bytes[at + i] = head[i]
    else bytes.set(head, at)
    at += length
    this.#view.setFloat64(at, start)
    this.#view.setFloat64(at + 8, end)
    this.#length = putVarint(bytes, at + 16, size)
  }

  /** The bytes alone. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#bytes.set(value, this.#length)
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

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
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
