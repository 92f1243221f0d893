import { Malformed } from '@tapdeck/wire'
import { utf8 } from '../text/text.ts'

/** Reads what `ByteWriter` wrote; throws `Malformed` for anything else. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #view: DataView | undefined
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  byte(): number {
    if (this.left < 1) throw new Malformed('cut short')
    return this.#bytes[this.#at++]
  }

  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (!Number.isSafeInteger(value)) throw new Malformed('number out of range')
      if (byte < 0x80) return value
      if (scale > 2 ** 49) throw new Malformed('number too long')
    }
  }

  double(): number {
    if (this.left < 8) throw new Malformed('cut short')
    this.#view ??= new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length)
    const value = this.#view.getFloat64(this.#at)
    if (!Number.isFinite(value)) throw new Malformed('number out of range')
    this.#at += 8
    return value
  }

  /** A view of the bytes given to the reader. */
  bytes(): Uint8Array {
    const length = this.varint()
    if (length > this.left) throw new Malformed('cut short')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  text(): string {
    const text = utf8(this.bytes())
    if (text === undefined) throw new Malformed('invalid UTF-8')
    return text
  }
}
