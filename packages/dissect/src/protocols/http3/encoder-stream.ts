import { Malformed } from '@tapdeck/wire'
import { copyOf } from '../../memory/arena.ts'
import type { FieldDecoder } from './qpack/field-decoder.ts'
import { instructionEnd } from './qpack/instruction-length.ts'

/** An instruction that is longer is not read, nor what follows it. */
const MAX_INSTRUCTION = 128 * 1024
const NOTHING = new Uint8Array(0)

/** The stream on which a QPACK encoder says what it inserts: RFC 9204 §4.2. Instructions may be cut anywhere. */
export class EncoderStream {
  readonly #decoder: FieldDecoder
  /** The beginning of an instruction, and how many bytes it has in all as far as that is known. */
  #rest: Uint8Array = NOTHING
  #needed = 0
  #held: Uint8Array[] = []
  #heldBytes = 0

  constructor(decoder: FieldDecoder) {
    this.#decoder = decoder
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    this.#held.push(copyOf(bytes, start, end))
    this.#heldBytes += end - start
    if (this.#rest.length + this.#heldBytes < this.#needed) return
    this.#read(Buffer.concat([this.#rest, ...this.#held]))
  }

  lose(): void {
    this.#decoder.lose()
    this.#keep(NOTHING, 0)
  }

  #read(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      const end = instructionEnd(bytes, at, bytes.length)
      if (end - at > MAX_INSTRUCTION) {
        this.lose()
        return
      }
      if (end < 0 || end > bytes.length) {
        this.#keep(bytes.subarray(at), Math.max(0, end - at))
        return
      }
      try {
        this.#decoder.instruct(bytes, at, end)
      } catch (error) {
        if (!(error instanceof Malformed)) throw error
        this.lose()
        return
      }
      at = end
    }
    this.#keep(NOTHING, 0)
  }

  #keep(rest: Uint8Array, needed: number): void {
    this.#rest = copyOf(rest, 0, rest.length)
    this.#needed = needed
    this.#held = []
    this.#heldBytes = 0
  }
}
