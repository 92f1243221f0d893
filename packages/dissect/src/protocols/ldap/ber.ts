import { Malformed } from '@tapdeck/wire'
import { base64, utf8, utf8Lossy } from '../../text/text.ts'

const MAX_SIZE = 0x7fffffff

/**
 * Reads BER elements of `bytes[at, end)` one after the other, as far as LDAP uses it: RFC 4511 §5.1 allows definite
 * lengths and low tags only. `held` says how many bytes are there: an element that goes on beyond is cut, one that
 * goes beyond `end` is malformed.
 */
export class BerReader {
  readonly bytes: Uint8Array
  readonly end: number
  readonly held: number
  at: number
  /** Of the element that `next` has read: its tag, and where its content stands. */
  tag = 0
  from = 0
  to = 0

  constructor(bytes: Uint8Array, at: number, end: number, held: number) {
    this.bytes = bytes
    this.at = at
    this.end = end
    this.held = held
  }

  /** False at the end of what is there. */
  next(): boolean {
    const { bytes, end, held } = this
    let { at } = this
    if (at + 2 > held) return false
    const tag = bytes[at]
    if ((tag & 0x1f) === 0x1f) throw new Malformed('high tag')
    let length = bytes[at + 1]
    at += 2
    if (length >= 0x80) {
      const octets = length & 0x7f
      if (octets === 0 || octets > 4) throw new Malformed('length of an element')
      if (at + octets > held) return false
      length = 0
      for (const stop = at + octets; at < stop; at++) length = length * 256 + bytes[at]
    }
    if (length > MAX_SIZE || at + length > end) throw new Malformed('element beyond what holds it')
    this.tag = tag
    this.from = at
    this.to = at + length
    this.at = this.to
    return true
  }

  /** Reads on where the next element has that tag; leaves it where it has another. */
  take(tag: number): boolean {
    return this.at < this.held && this.bytes[this.at] === tag && this.next()
  }

  /** The elements within the one just read. */
  inside(): BerReader {
    return new BerReader(this.bytes, this.from, this.to, Math.min(this.to, this.held))
  }

  content(): Uint8Array {
    return this.bytes.subarray(Math.min(this.from, this.held), Math.min(this.to, this.held))
  }

  text(): string {
    return utf8Lossy(this.content())
  }

  /** Text where it is some, else base64. */
  value(): string {
    const content = this.content()
    return utf8(content) ?? base64(content)
  }

  number(): number {
    const { bytes, from, to } = this
    if (to - from < 1 || to - from > 4 || to > this.held) throw new Malformed('integer')
    let value = (bytes[from] << 24) >> 24
    for (let at = from + 1; at < to; at++) value = (value << 8) | bytes[at]
    return value
  }

  boolean(): boolean {
    return this.from < this.held && this.bytes[this.from] !== 0
  }
}
