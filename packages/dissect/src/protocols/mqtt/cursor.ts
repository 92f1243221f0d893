import { Malformed } from '@tapdeck/wire'
import { utf8Lossy, word } from '../../text.ts'

/** Reads MQTT's data types out of `bytes[at, end)`; beyond the end is `Malformed`: MQTT 5.0 §1.5. */
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
    const high = this.byte()
    return (high << 8) | this.byte()
  }

  long(): number {
    const high = this.short()
    return high * 0x10000 + this.short()
  }

  varint(): number {
    let value = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Malformed('number too long')
  }

  /** A view. */
  binary(): Uint8Array {
    const length = this.short()
    this.skip(length)
    return this.bytes.subarray(this.at - length, this.at)
  }

  text(): string {
    const length = this.short()
    const { at, bytes } = this
    this.skip(length)
    for (let i = at; i < this.at; i++) if (bytes[i] >= 0x80) return utf8Lossy(bytes.subarray(at, this.at))
    return word(bytes, at, this.at)
  }

  skip(length: number): void {
    if (length > this.left) throw new Malformed('cut short')
    this.at += length
  }
}
