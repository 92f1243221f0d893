import { Malformed } from '../../malformed.ts'

/**
 * Reads a bit stream of RFC 8878 §4.1 from its end to its beginning. Its last byte has a one above the last bit. Up to
 * four bytes behind the stream are touched, so that what holds it must go on a little.
 */
export class BitReader {
  /** Bits that are left; below 0 when more were taken than there were: zeros then. */
  left = 0
  #bytes: Uint8Array = new Uint8Array(0)
  #start = 0

  open(bytes: Uint8Array, start: number, end: number): void {
    if (end <= start) throw new Malformed('zstd: no bit stream')
    const last = bytes[end - 1]
    if (last === 0) throw new Malformed('zstd: a bit stream without an end')
    this.#bytes = bytes
    this.#start = start
    this.left = (end - start - 1) * 8 + 31 - Math.clz32(last)
  }

  /** At most 24 bits. */
  read(count: number): number {
    this.left -= count
    return this.#at(this.left, count)
  }

  /** As `read`, for up to 32 bits. */
  readLong(count: number): number {
    if (count <= 24) return this.read(count)
    const high = this.read(count - 16)
    return high * 0x10000 + this.read(16)
  }

  /** The next bits, which stay. */
  peek(count: number): number {
    return this.#at(this.left - count, count)
  }

  #at(position: number, count: number): number {
    if (position < 0) return this.#before(position, count)
    const bytes = this.#bytes
    const at = this.#start + (position >> 3)
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
    return (word >>> (position & 7)) & ((1 << count) - 1)
  }

  /** Before the beginning there are zeros. */
  #before(position: number, count: number): number {
    const missing = Math.min(count, -position)
    return missing === count ? 0 : this.#at(0, count - missing) << missing
  }
}
