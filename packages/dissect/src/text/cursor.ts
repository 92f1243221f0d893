import { Malformed } from '@tapdeck/wire'
import { utf8Lossy, word } from './text.ts'

/**
 * Reads `bytes[at, end)` in sequence, big endian. Throws `Malformed` beyond the end. Protocols extend it with their
 * own notations.
 */
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

  byte(): number {
    if (this.at >= this.end) throw new Malformed('cut short')
    return this.bytes[this.at++]
  }

  short(): number {
    const at = this.#pass(2)
    return (this.bytes[at] << 8) | this.bytes[at + 1]
  }

  /** 32 bits, unsigned. */
  long(): number {
    const { bytes } = this
    const at = this.#pass(4)
    return bytes[at] * 0x1000000 + ((bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3])
  }

  /** A view of the next `length` bytes. */
  take(length: number): Uint8Array {
    const at = this.#pass(length)
    return this.bytes.subarray(at, this.at)
  }

  text(length: number): string {
    const { bytes } = this
    const at = this.#pass(length)
    for (let i = at; i < this.at; i++) if (bytes[i] >= 0x80) return utf8Lossy(bytes.subarray(at, this.at))
    return word(bytes, at, this.at)
  }

  skip(length: number): void {
    this.#pass(length)
  }

  /** Advances, and returns the previous position. */
  #pass(length: number): number {
    const { at } = this
    if (length < 0 || length > this.end - at) throw new Malformed('cut short')
    this.at = at + length
    return at
  }
}
