import { Malformed } from '@tapdeck/wire'
import { utf8Lossy, word } from '../../text.ts'

/** Reads numbers and texts of `bytes[at, end)` one after the other; beyond the end is `Malformed`. */
export class Cursor {
  readonly bytes: Uint8Array
  at: number
  readonly end: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  get left(): number {
    return this.end - this.at
  }

  octet(): number {
    this.#need(1)
    return this.bytes[this.at++]
  }

  short(): number {
    this.#need(2)
    const { bytes, at } = this
    this.at += 2
    return (bytes[at] << 8) | bytes[at + 1]
  }

  long(): number {
    this.#need(4)
    const { bytes, at } = this
    this.at += 4
    return bytes[at] * 0x1000000 + ((bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3])
  }

  /** Exact up to 2^53. */
  longlong(): number {
    const high = this.long()
    return high * 0x100000000 + this.long()
  }

  signedLonglong(): number {
    const high = this.long() | 0
    return high * 0x100000000 + this.long()
  }

  view(length: number): DataView {
    const bytes = this.take(length)
    return new DataView(bytes.buffer, bytes.byteOffset, length)
  }

  /** A view of the next bytes. */
  take(length: number): Uint8Array {
    this.#need(length)
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  skip(length: number): void {
    this.#need(length)
    this.at += length
  }

  text(length: number): string {
    this.#need(length)
    const { bytes, at } = this
    this.at += length
    for (let i = at; i < this.at; i++) if (bytes[i] >= 0x80) return utf8Lossy(bytes.subarray(at, this.at))
    return word(bytes, at, this.at)
  }

  #need(length: number): void {
    if (length > this.end - this.at) throw new Malformed('cut short')
  }
}
