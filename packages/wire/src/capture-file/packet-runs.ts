import { PacketRun, type RunFormat } from '../packet-run.ts'
import type { PacketSink } from '../packet-sink.ts'

/** After this many packets in a row that the sink left, some are not offered: twice as many each time, up to a limit. */
const PATIENCE = 8
const MIN_PAUSE = 8
const MAX_PAUSE = 256

/** Offers runs of packets to a sink, and pauses if the sink takes none. */
export class PacketRuns {
  /** All packets that were taken. */
  packets = 0
  /** The last run. */
  readonly run = new PacketRun()
  readonly #sink: PacketSink
  #leftInARow = 0
  #pause = MIN_PAUSE
  #paused = 0

  constructor(sink: PacketSink) {
    this.#sink = sink
  }

  /** The record format of the file; `interfaces`: how many interfaces of pcapng have it. */
  describe(format: RunFormat, interfaces: number, hasNotes: boolean): void {
    this.run.format = format
    this.run.interfaces = interfaces
    this.run.hasNotes = hasNotes
  }

  /** The sink takes the records from `at` on as far as it can. Returns where it stopped. */
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
      this.#leftInARow = 0
      this.#pause = MIN_PAUSE
    } else if (++this.#leftInARow > PATIENCE) {
      this.#paused = this.#pause
      this.#pause = Math.min(this.#pause * 2, MAX_PAUSE)
    }
    return run.at
  }
}
