import type { Arena } from './arena.ts'

const FIRST = 256

/** Appends numbers and bytes to a buffer that grows. */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** LEB128 of a whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.#reserve(8)
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest % 128) | 0x80
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#length++] = rest
  }

  double(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value)
    this.#length += 8
  }

  /** A length, then the bytes. */
  bytes(value: Uint8Array): void {
    this.varint(value.length)
    this.#reserve(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
  }

  text(value: string): void {
    this.bytes(new TextEncoder().encode(value))
  }

  /** What was written, as a slice of an arena. */
  take(arena: Arena): Uint8Array {
    const written = arena.copy(this.#bytes, 0, this.#length)
    this.#length = 0
    return written
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}
