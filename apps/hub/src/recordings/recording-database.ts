import type { Dissections } from '../jobs/dissections.ts'
import type { Snapshots } from '../jobs/snapshots.ts'
import { databaseOf } from './database-of.ts'
import type { RecordingRecord } from './recording-record.ts'
import type { RecordingShelf } from './recording-shelf.ts'

/** The snapshot and the dissection that a recording becomes. */
export class RecordingDatabase {
  readonly #snapshots: Snapshots
  readonly #dissections: Dissections

  constructor(snapshots: Snapshots, dissections: Dissections) {
    this.#snapshots = snapshots
    this.#dissections = dissections
  }

  /** Whether a snapshot stands where that of a recording would. */
  isTaken(recording: string): boolean {
    const { snapshot } = databaseOf(recording)
    return this.#snapshots.list().some(({ name }) => name === snapshot)
  }

  /** Makes the snapshot out of all slices and starts its dissection. Without packets there is nothing to make. */
  async make(record: RecordingRecord, shelf: RecordingShelf): Promise<void> {
    // An attempt that a crash cut off left an unfinished one.
    await this.remove(record)
    const given = record.nodes.flatMap((node, at) => (node.slices > 0 ? [{ node, at }] : []))
    if (given.length === 0) return
    const { snapshot, dissection } = databaseOf(record.name)
    const end = Math.max(...given.map(({ node }) => node.until_ts))
    const window = { start: record.starts_ts, end, partial: record.gaps.length > 0 }
    const taken = given.map(({ node, at }) => ({
      node: node.name,
      packet_count: node.packet_count,
      dropped_packets: node.dropped_packets,
      bytes: shelf.read(record, at),
    }))
    await this.#snapshots.keep(snapshot, window, taken)
    const request = { snapshot_name: snapshot, dissection_name: dissection, kfl: record.kfl }
    await this.#dissections.start(request)
  }

  /** Only what was made of this recording: somebody may have made a snapshot of that name meanwhile. */
  async remove({ name, starts_ts }: RecordingRecord): Promise<void> {
    const { snapshot } = databaseOf(name)
    const found = this.#snapshots.list().find((one) => one.name === snapshot)
    if (found?.start_ts !== starts_ts) return
    await this.#dissections.forgetSnapshot(snapshot, () => this.#snapshots.remove(snapshot, true))
  }
}
