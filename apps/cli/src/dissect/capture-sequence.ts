import type { PacketSink, RecordBatch } from '@tapdeck/wire'

/** A file that goes on within this time of the one before, in microseconds, is read as its continuation. */
const continues = 60_000_000
const overlaps = 1_000_000

/** Follows flows, and can forget them. */
export interface FlowSink extends PacketSink {
  restart(): void
}

/**
 * Capture files one after another. The pieces of a rotated capture share their flows; a file of another time begins
 * anew, so that unrelated connections with the same addresses are kept apart.
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

  onStableChunk(bytes: Uint8Array): void {
    this.#sink.onStableChunk?.(bytes)
  }

  secrets(type: number, data: Uint8Array): void {
    this.#sink.secrets?.(type, data)
  }

  get dropsForeignPackets(): boolean {
    return this.#sink.dropsForeignPackets ?? false
  }

  /** The last packet of those that it sees is never left out. */
  dropForeignPackets(records: RecordBatch): void {
    if (!this.#atBegin) this.#sink.dropForeignPackets?.(records)
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
