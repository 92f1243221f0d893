import { Malformed } from '@tapdeck/wire'
import type { Allowance } from '../../memory/budget.ts'
import type { FieldDecoder } from './qpack/field-decoder.ts'
import { instructionEnd } from './qpack/instruction-length.ts'

/** An instruction that is longer is not read, nor what follows it. */
const MAX_INSTRUCTION = 128 * 1024
const NOTHING = new Uint8Array(0)

/** The stream on which a QPACK encoder says what it inserts: RFC 9204 §4.2. Instructions may be cut anywhere. */
export class EncoderStream {
  readonly #decoder: FieldDecoder
  readonly #budget: Allowance
  /** The beginning of an instruction, with room for all of it as far as that is known: it may come byte by byte. */
  #rest: Uint8Array = NOTHING
  #length = 0
  #isLost = false

  constructor(decoder: FieldDecoder, budget: Allowance) {
    this.#decoder = decoder
    this.#budget = budget
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#isLost) return
    const at = Math.min(end, start + this.#rest.length - this.#length)
    this.#rest.set(bytes.subarray(start, at), this.#length)
    this.#length += at - start
    if (this.#length === this.#rest.length) this.#read(Buffer.concat([this.#rest, bytes.subarray(at, end)]))
  }

  /** What follows cannot be read any more. */
  lose(): void {
    this.#isLost = true
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
        this.#keep(bytes.subarray(at), Math.max(bytes.length, end) - at)
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
    this.#budget.give(this.#rest.length)
    this.#rest = NOTHING
    this.#length = 0
    if (needed === 0) return
    if (!this.#budget.take(needed)) {
      this.lose()
      return
    }
    this.#rest = new Uint8Array(needed)
    this.#rest.set(rest)
    this.#length = rest.length
  }
}
