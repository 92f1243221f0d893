import { copyOf } from '../../memory/arena.ts'

/** Bytes and pieces of it that are kept: more than any hello needs. */
const CEILING = 16 * 1024
const MAX_PIECES = 64

interface Piece {
  readonly offset: number
  readonly bytes: Uint8Array
}

/** What one side says in CRYPTO frames (RFC 9000 §19.6), which come in any order and more than once. */
export class CryptoStream {
  #pieces: Piece[] = []

  add(offset: number, bytes: Uint8Array, start: number, end: number): void {
    if (offset + end - start > CEILING || this.#pieces.length >= MAX_PIECES) return
    if (this.#pieces.some((piece) => piece.offset === offset && piece.bytes.length >= end - start)) return
    this.#pieces.push({ offset, bytes: copyOf(bytes, start, end) })
    this.#pieces.sort((a, b) => a.offset - b.offset)
  }

  /** The handshake messages that are there whole, in order. */
  get messages(): readonly Uint8Array[] {
    const bytes = this.#prefix()
    const found: Uint8Array[] = []
    for (let at = 0; at + 4 <= bytes.length; ) {
      const end = at + 4 + ((bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3])
      if (end > bytes.length) break
      found.push(bytes.subarray(at, end))
      at = end
    }
    return found
  }

  clear(): void {
    this.#pieces = []
  }

  #prefix(): Uint8Array {
    const last = this.#pieces.reduce((end, { offset, bytes }) => Math.max(end, offset + bytes.length), 0)
    const whole = new Uint8Array(last)
    let reached = 0
    for (const { offset, bytes } of this.#pieces) {
      if (offset > reached) break
      whole.set(bytes, offset)
      reached = Math.max(reached, offset + bytes.length)
    }
    return whole.subarray(0, reached)
  }
}
