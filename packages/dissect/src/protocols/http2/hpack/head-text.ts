import type { Side } from '@tapdeck/wire'
import type { Connection } from '../../../contract/dissector.ts'
import { isGrpc } from '../../grpc/content-type.ts'
import { hashName, NAME } from './field-name.ts'
import type { HeaderSection } from './header-section.ts'
import { LineText, lineText } from './line-text.ts'

/** Room before the fields for the start line, which is known only after them. */
const START = 16 * 1024
/** Bytes of fields that are kept: a few bytes may stand for very many. */
const CEILING = 64 * 1024
/** Room for the field that reaches the ceiling. */
const SLACK = 72 * 1024
/** Bytes that references of one block have copied, kept or not: each reference is a byte or two, and an entry is up to 64 KB. */
const MAX_COPIED = 4 * CEILING
const ZERO = 0x30
const MARK = 0x3f
const MAX_METHOD_LENGTH = 64
const MAX_TARGET_LENGTH = START - 128
const UNKNOWN = lineText('?')

/**
 * A header block as the text of a head, in the form that HTTP/1.1 gives it: a start line, then `name: value` lines.
 * There is one of it for all connections, since a block is written and copied out in one go.
 */
export class HeadText {
  readonly text = new LineText(START + CEILING + SLACK)
  readonly bytes = this.text.bytes
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
  readonly #method = new LineText(MAX_METHOD_LENGTH)
  readonly #target = new LineText(MAX_TARGET_LENGTH)
  #methodLength = 0
  #targetLength = 0
  #copied = 0
  /** 0 where it is not given. */
  status = 0
  /** As long as a copy is at least, so that it touches nothing after it. */
  readonly #version: LineText
  readonly #statusText: LineText

  constructor(version: '2' | '3') {
    this.#version = lineText(`HTTP/${version}\r\n`)
    this.#statusText = lineText(`HTTP/${version} 200\r\n`)
  }

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
    this.#copied = 0
    this.status = 0
  }

  /** Whether a reference may copy that many bytes more. If not, its field is left out. */
  allows(length: number): boolean {
    this.#copied += length
    if (this.#copied <= MAX_COPIED) return true
    this.truncated = true
    return false
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
        this.#methodLength = Math.min(valueLength, MAX_METHOD_LENGTH)
        this.#method.copy(this.text, start, this.#methodLength, 0)
        this.pseudo++
        return
      case NAME.path:
        this.#targetLength = Math.min(valueLength, MAX_TARGET_LENGTH)
        this.#target.copy(this.text, start, this.#targetLength, 0)
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
    source: LineText,
    from: number,
    nameLength: number,
    valueLength: number,
    name: number,
    hash: number,
  ): void {
    const length = nameLength + valueLength + 4
    if (!this.allows(length)) return
    this.text.copy(source, from, length, this.end)
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
    const { text, bytes } = this
    const versionText = this.#version
    const method = Math.max(this.#methodLength, 1)
    const target = Math.max(this.#targetLength, 1)
    const version = START - versionText.bytes.length
    const start = version - 2 - target - method
    text.copy(this.#methodLength > 0 ? this.#method : UNKNOWN, 0, method, start)
    bytes[start + method] = 0x20
    text.copy(this.#targetLength > 0 ? this.#target : UNKNOWN, 0, target, start + method + 1)
    bytes[version - 1] = 0x20
    text.copy(versionText, 0, versionText.bytes.length, version)
    return start
  }

  #statusLine(): number {
    const { bytes, status } = this
    const { bytes: line } = this.#statusText
    const start = START - line.length
    for (let i = 0; i < line.length; i++) bytes[start + i] = line[i]
    const digits = START - 5
    bytes[digits] = status === 0 ? MARK : ZERO + ((status / 100) | 0)
    bytes[digits + 1] = status === 0 ? MARK : ZERO + (((status / 10) | 0) % 10)
    bytes[digits + 2] = status === 0 ? MARK : ZERO + (status % 10)
    return start
  }

  #advance(length: number): void {
    if (this.end + length > START + CEILING) this.truncated = true
    else this.end += length
  }
}

export const UNKNOWN_NAME = UNKNOWN
export const UNKNOWN_HASH = hashName(UNKNOWN.bytes, 0, 1)

function threeDigits(bytes: Uint8Array, at: number): number {
  const hundreds = bytes[at] - 0x30
  const tens = bytes[at + 1] - 0x30
  const ones = bytes[at + 2] - 0x30
  return hundreds >= 1 && hundreds <= 9 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9
    ? hundreds * 100 + tens * 10 + ones
    : 0
}
