import type { Side } from '@tapdeck/wire'
import type { Connection } from '../../../dissector.ts'
import { isGrpc } from '../../grpc/content-type.ts'
import { hashName, NAME } from './field-name.ts'
import type { HeaderSection } from './header-section.ts'

/** Room before the fields for the start line, which is known only after them. */
const START = 16 * 1024
/** Bytes of fields that are kept: a few bytes may stand for very many. */
const CEILING = 64 * 1024
/** Room for the field that reaches the ceiling. */
const SLACK = 72 * 1024
const LONGEST_METHOD = 64
const LONGEST_TARGET = START - 128
/** Longer copies are cheaper by `set`, shorter ones byte by byte. */
const LONG = 64
const encoder = new TextEncoder()
const VERSION = encoder.encode('HTTP/2')
const UNKNOWN = encoder.encode('?')

/**
 * A header block as the text of a head, in the form that HTTP/1.1 gives it: a start line, then `name: value` lines.
 * There is one of it for all connections, since a block is written and copied out in one go.
 */
export class HeadText {
  readonly bytes = new Uint8Array(START + CEILING + SLACK)
  /** Where the next field goes. */
  end = START
  /** Fields that refer to something that was never seen. */
  unknown = 0
  /** Not all fields were kept. */
  truncated = false
  /** Fields of pseudo-header names, which trailers have none of. */
  pseudo = 0
  /** Tells one sequence of names from another. */
  signature = 0
  contentTypeStart = 0
  contentTypeEnd = 0
  readonly #method = new Uint8Array(LONGEST_METHOD)
  readonly #target = new Uint8Array(LONGEST_TARGET)
  #methodLength = 0
  #targetLength = 0
  /** 0 where it is not given. */
  status = 0

  begin(): void {
    this.end = START
    this.unknown = 0
    this.truncated = false
    this.pseudo = 0
    this.signature = 0
    this.contentTypeStart = 0
    this.contentTypeEnd = 0
    this.#methodLength = 0
    this.#targetLength = 0
    this.status = 0
  }

  get isRequest(): boolean {
    return this.#methodLength > 0 || this.#targetLength > 0
  }

  /** The field stands already at `end`, as a line: counts it in. */
  accept(nameLength: number, valueLength: number, name: number, hash: number): void {
    this.signature = (Math.imul(this.signature, 33) + hash) | 0
    const start = this.end + nameLength + 2
    if (name === NAME.other) {
      this.#advance(nameLength + valueLength + 4)
      return
    }
    switch (name) {
      case NAME.method:
        this.#methodLength = put(this.bytes, start, valueLength, this.#method)
        this.pseudo++
        return
      case NAME.path:
        this.#targetLength = put(this.bytes, start, valueLength, this.#target)
        if (this.#targetLength < valueLength) this.truncated = true
        this.pseudo++
        return
      case NAME.status:
        if (valueLength === 3) this.status = threeDigits(this.bytes, start)
        this.pseudo++
        return
      case NAME.contentType:
        this.contentTypeStart = start
        this.contentTypeEnd = start + valueLength
        break
      case NAME.unknown:
        this.unknown++
        break
      default:
        this.pseudo++
    }
    this.#advance(nameLength + valueLength + 4)
  }

  /** A field that stands as a line elsewhere. */
  add(
    source: Uint8Array,
    from: number,
    nameLength: number,
    valueLength: number,
    name: number,
    hash: number,
  ): void {
    copy(source, from, nameLength + valueLength + 4, this.bytes, this.end)
    this.accept(nameLength, valueLength, name, hash)
  }

  /** Of a field not even its name is known. */
  miss(): void {
    this.unknown++
  }

  /** All of it, for good. Where nothing says what it is, it is what that side usually says. */
  section(side: Side, copyOut: Connection['copy']): HeaderSection {
    const trailers = this.pseudo === 0 && this.unknown === 0
    const asks = this.isRequest || (side === 0 && this.status === 0)
    const start = trailers ? START : asks ? this.#requestLine() : this.#statusLine()
    return {
      text: copyOut(this.bytes, start, this.end),
      fields: START - start,
      isRequest: this.isRequest,
      status: this.status,
      pseudo: this.pseudo,
      unknown: this.unknown,
      truncated: this.truncated,
      hasContentType: this.contentTypeEnd > 0,
      isGrpc: isGrpc(this.bytes, this.contentTypeStart, this.contentTypeEnd),
    }
  }

  /** Puts the request line before the fields; returns where it begins. */
  #requestLine(): number {
    const method = this.#methodLength
    const target = this.#targetLength
    let at = START - 2 - VERSION.length - 2 - Math.max(method, 1) - Math.max(target, 1)
    const start = at
    at = this.#put(method > 0 ? this.#method : UNKNOWN, Math.max(method, 1), at)
    this.bytes[at++] = 0x20
    at = this.#put(target > 0 ? this.#target : UNKNOWN, Math.max(target, 1), at)
    this.bytes[at++] = 0x20
    this.#lineBreak(this.#put(VERSION, VERSION.length, at))
    return start
  }

  #statusLine(): number {
    const start = START - 2 - 3 - 1 - VERSION.length
    let at = this.#put(VERSION, VERSION.length, start)
    const { bytes, status } = this
    bytes[at++] = 0x20
    if (status === 0) {
      bytes[at++] = 0x3f
      bytes[at++] = 0x3f
      bytes[at++] = 0x3f
    } else {
      bytes[at++] = 0x30 + ((status / 100) | 0)
      bytes[at++] = 0x30 + (((status / 10) | 0) % 10)
      bytes[at++] = 0x30 + (status % 10)
    }
    this.#lineBreak(at)
    return start
  }

  #advance(length: number): void {
    if (this.end + length > START + CEILING) this.truncated = true
    else this.end += length
  }

  #put(source: Uint8Array, length: number, at: number): number {
    copy(source, 0, length, this.bytes, at)
    return at + length
  }

  #lineBreak(at: number): void {
    this.bytes[at] = 0x0d
    this.bytes[at + 1] = 0x0a
  }
}

export const UNKNOWN_NAME = UNKNOWN
export const UNKNOWN_HASH = hashName(UNKNOWN, 0, 1)

export function copy(source: Uint8Array, from: number, length: number, into: Uint8Array, at: number): void {
  if (length > LONG) into.set(source.subarray(from, from + length), at)
  else for (let i = 0; i < length; i++) into[at + i] = source[from + i]
}

function put(source: Uint8Array, from: number, length: number, into: Uint8Array): number {
  const take = Math.min(length, into.length)
  copy(source, from, take, into, 0)
  return take
}

function threeDigits(bytes: Uint8Array, at: number): number {
  const hundreds = bytes[at] - 0x30
  const tens = bytes[at + 1] - 0x30
  const ones = bytes[at + 2] - 0x30
  return hundreds >= 1 && hundreds <= 9 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9
    ? hundreds * 100 + tens * 10 + ones
    : 0
}
