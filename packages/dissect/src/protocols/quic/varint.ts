import { Malformed } from '@tapdeck/wire'

/** Reads the numbers of variable length of RFC 9000 §16, one after the other. */
export class VarintReader {
  at: number
  readonly #bytes: Uint8Array
  readonly #end: number

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.at = start
    this.#end = end
  }

  get left(): number {
    return this.#end - this.at
  }

  next(): number {
    if (this.left < 1) throw new Malformed('QUIC cut short')
    const first = this.#bytes[this.at]
    const length = 1 << (first >> 6)
    if (this.left < length) throw new Malformed('QUIC cut short')
    let value = first & 0x3f
    for (let i = 1; i < length; i++) value = value * 256 + this.#bytes[this.at + i]
    this.at += length
    return value
  }

  /** Passes over that many bytes; where they begin. */
  skip(count: number): number {
    if (count > this.left) throw new Malformed('QUIC cut short')
    this.at += count
    return this.at - count
  }
}
