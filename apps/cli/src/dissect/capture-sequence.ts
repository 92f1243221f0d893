import { Dissection, type EngineOptions } from '@tapdeck/dissect'
import type { PacketSink } from '@tapdeck/wire'

/** A file that goes on within this time of the one before, in microseconds, is read as its continuation. */
const continues = 60_000_000
const overlaps = 1_000_000

/**
 * Capture files one after another. The pieces of a rotated capture share their flows; a file of another time begins
 * anew, so that strangers with the same addresses are not taken for each other.
 */
export class CaptureSequence implements PacketSink {
  readonly #options: EngineOptions
  #dissection: Dissection
  #atBegin = true
  #last: number | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    this.#dissection = new Dissection(options)
  }

  /** The packets that follow come from another file. */
  nextFile(): void {
    this.#atBegin = true
  }

  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    if (this.#atBegin) {
      this.#atBegin = false
      const last = this.#last
      if (last !== undefined && (time < last - overlaps || time > last + continues)) {
        this.#dissection.end()
        this.#dissection = new Dissection(this.#options)
      }
    }
    this.#last = time
    this.#dissection.packet(data, start, end, length, time, link)
  }

  end(): void {
    this.#dissection.end()
  }
}
