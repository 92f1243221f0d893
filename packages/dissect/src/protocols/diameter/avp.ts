import { HEADER, uint24, uint32 } from './frame.ts'

const VENDOR = 0x80

/** Goes through the attribute-value pairs of `bytes[at, end)`: RFC 6733 §4.1. */
export class AvpReader {
  readonly bytes: Uint8Array
  readonly end: number
  at: number
  /** Of the pair that `next` has read: its code, its vendor or 0, and where its data stand. */
  code = 0
  vendor = 0
  from = 0
  to = 0

  constructor(bytes: Uint8Array, at = HEADER, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  /** False at the end, and where the next is not all there or is none. */
  next(): boolean {
    const { bytes, at, end } = this
    if (at + 8 > end) return false
    const header = bytes[at + 4] & VENDOR ? 12 : 8
    const length = uint24(bytes, at + 5)
    if (length < header || at + length > end) return false
    this.code = uint32(bytes, at)
    this.vendor = header === 12 ? uint32(bytes, at + 8) : 0
    this.from = at + header
    this.to = at + length
    this.at = at + ((length + 3) & ~3)
    return true
  }

  find(code: number, vendor = 0): boolean {
    while (this.next()) if (this.code === code && this.vendor === vendor) return true
    return false
  }

  inside(): AvpReader {
    return new AvpReader(this.bytes, this.from, this.to)
  }

  content(): Uint8Array {
    return this.bytes.subarray(this.from, this.to)
  }

  /** -1 where it does not have the size of a number. */
  number(): number {
    return this.to - this.from === 4 ? uint32(this.bytes, this.from) : -1
  }
}
