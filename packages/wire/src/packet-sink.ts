import type { PacketRun } from './packet-run.ts'
import type { StagedRecords } from './staged-records.ts'

/**
 * Where packets go, one call a packet and no object a packet: `data[start, end)` is what was captured of a
 * frame of `length` bytes, at `time` (microseconds since the epoch), of link type `link` (LINKTYPE_*).
 * The bytes are only valid during the call, unless `lasting` told otherwise of them.
 */
export interface PacketSink {
  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void
  /** The packets that come next stand in these bytes, and nobody will write there again: they may be pointed into. */
  lasting?(bytes: Uint8Array): void
  /**
   * Takes packets from `run.at` on by itself, in their order, as far as it can, and says so in `run`. Whatever it leaves is
   * given to `packet` as ever.
   */
  run?(run: PacketRun): void
  /** Whether it has packets left out before they are given to it: `sift` does. */
  readonly sifts?: boolean
  /** Leaves packets out that it would do no more than count, counts them, and says so. */
  sift?(records: StagedRecords): void
}
