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
/** A byte, six varints and three doubles. */
const LONGEST_AROUND = 1 + 6 * LONGEST_VARINT + 24
const encoder = new TextEncoder()
/** Looked up on an array each time it costs a third of a short copy. */
const { set } = Uint8Array.prototype

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
   * The parts of a half of a call, as far as it has them, behind its kind and what tells them: the same as one after the
   * other, but room is asked for once, because most halves are written here.
   */
  half(
    kind: number,
    parts: number,
    key: number | undefined,
    head: Uint8Array,
    body: Uint8Array | undefined,
    bodySize: number | undefined,
    fields: Uint8Array | undefined,
    start: number,
    end: number,
    size: number,
  ): void {
    const behind = (body === undefined ? 0 : body.length) + (fields === undefined ? 0 : fields.length)
    this.#reserve(head.length + behind + LONGEST_AROUND)
    const bytes = this.#bytes
    const view = this.#view
    let at = this.#length
    bytes[at] = kind
    at = putVarint(bytes, at + 1, parts)
    if (key !== undefined) {
      view.setFloat64(at, key)
      at += 8
    }
    at = putBytes(bytes, at, head)
    if (body !== undefined) at = putBytes(bytes, at, body)
    if (bodySize !== undefined) at = putVarint(bytes, at, bodySize)
    if (fields !== undefined) at = putBytes(bytes, at, fields)
    view.setFloat64(at, start)
    view.setFloat64(at + 8, end)
    this.#length = putVarint(bytes, at + 16, size)
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

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}

/** A length, then the bytes. Returns where they end. */
function putBytes(bytes: Uint8Array, start: number, value: Uint8Array): number {
  const { length } = value
  const at = putVarint(bytes, start, length)
  if (length <= FEW) for (let i = 0; i < length; i++) bytes[at + i] = value[i]
  else set.call(bytes, value, at)
  return at + length
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
