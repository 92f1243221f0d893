import type { PacketRun, PacketSink, StagedRecords } from '@tapdeck/wire'

/** A file that goes on within this time of the one before, in microseconds, is read as its continuation. */
const continues = 60_000_000
const overlaps = 1_000_000

/** Whoever follows flows, and can forget them. */
export interface FlowSink extends PacketSink {
  restart(): void
}

/**
 * Capture files one after another. The pieces of a rotated capture share their flows; a file of another time begins
 * anew, so that strangers with the same addresses are not taken for each other.
 */
export class CaptureSequence implements PacketSink {
  readonly #sink: FlowSink
  #atBegin = true
  #last: number | undefined

  constructor(sink: FlowSink) {
    this.#sink = sink
  }

  /** The packets that follow come from another file. */
  nextFile(): void {
    this.#atBegin = true
  }

  lasting(bytes: Uint8Array): void {
    this.#sink.lasting?.(bytes)
  }

  /** All but the first packet of a file, which tells whether it goes on with the one before. */
  run(run: PacketRun): void {
    if (this.#atBegin) return
    this.#sink.run?.(run)
    if (run.packets > 0) this.#last = run.time
  }

  get sifts(): boolean {
    return this.#sink.sifts ?? false
  }

  /** The last packet of those that it sees is never left out. */
  sift(records: StagedRecords): void {
    if (!this.#atBegin) this.#sink.sift?.(records)
  }

  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    if (this.#atBegin) {
      this.#atBegin = false
      const last = this.#last
      if (last !== undefined && (time < last - overlaps || time > last + continues)) this.#sink.restart()
    }
    this.#last = time
    this.#sink.packet(data, start, end, length, time, link)
  }
}
