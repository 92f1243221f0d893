import { PacketRun, type RunFormat } from '../packet-run.ts'
import type { PacketSink } from '../packet-sink.ts'

/** So many packets in a row may be offered in vain before some go unoffered, each time twice as many up to a ceiling. */
const PATIENCE = 8
const FIRST_PAUSE = 8
const LONGEST_PAUSE = 256

/** Offers a sink the packets that it may take by itself; for a while not, where it takes none. */
export class PacketRuns {
  /** All that were taken. */
  packets = 0
  /** What was taken last. */
  readonly run = new PacketRun()
  readonly #sink: PacketSink
  #vain = 0
  #pause = FIRST_PAUSE
  #paused = 0

  constructor(sink: PacketSink) {
    this.#sink = sink
  }

  /** How the records of the file stand in it; `interfaces`: those of pcapng that are alike. */
  describe(format: RunFormat, interfaces: number, hasNotes: boolean): void {
    this.run.format = format
    this.run.interfaces = interfaces
    this.run.hasNotes = hasNotes
  }

  /** The sink takes what it can of the records from `at` on; returns where the first is that it left. */
  offer(data: Uint8Array, at: number): number {
    if (this.#paused > 0) {
      this.#paused--
      return at
    }
    const { run } = this
    run.data = data
    run.at = at
    run.packets = 0
    run.hasLearnt = false
    try {
      this.#sink.run?.(run)
    } finally {
      this.packets += run.packets
    }
    if (run.packets > 0 || run.hasLearnt) {
      this.#vain = 0
      this.#pause = FIRST_PAUSE
    } else if (++this.#vain > PATIENCE) {
      this.#paused = this.#pause
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE)
    }
    return run.at
  }
}
