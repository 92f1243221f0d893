import type { Dissections } from '../dissections/dissections.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import { databaseOf } from './database-of.ts'
import type { RecordingRecord } from './recording-record.ts'
import type { RecordingRepository } from './recording-repository.ts'

/** The snapshot and the dissection that a recording becomes. */
export class RecordingDatabase {
  readonly #snapshots: Snapshots
  readonly #dissections: Dissections

  constructor(snapshots: Snapshots, dissections: Dissections) {
    this.#snapshots = snapshots
    this.#dissections = dissections
  }

  /** Whether another snapshot has the name of the one of a recording. */
  isTaken(recording: string): boolean {
    const { snapshot } = databaseOf(recording)
    return this.#snapshots.list().some(({ name }) => name === snapshot)
  }

  /** Whether a snapshot was made of this recording, and of no other thing of that name. */
  isOf({ name, starts_ts }: RecordingRecord, snapshot: string): boolean {
    if (databaseOf(name).snapshot !== snapshot) return false
    return this.#snapshots.list().find((one) => one.name === snapshot)?.start_ts === starts_ts
  }

  /** Makes the snapshot out of all slices and starts its dissection. Without packets there is nothing to make. */
  async make(record: RecordingRecord, repository: RecordingRepository): Promise<void> {
    // An attempt that a crash cut off left an unfinished one.
    await this.remove(record)
    const given = record.nodes.flatMap((node, at) => (node.slices > 0 ? [{ node, at }] : []))
    if (given.length === 0) return
    const { snapshot, dissection } = databaseOf(record.name)
    const end = Math.max(...given.map(({ node }) => node.until_ts))
    const gaps = record.gaps.map(({ code = 'overwritten', reason: detail, ...gap }) => ({
      ...gap,
      reason: code,
      detail,
    }))
    const window = { start: record.starts_ts, end, partial: gaps.length > 0, gaps }
    const taken = given.map(({ node, at }) => ({
      node: node.name,
      packet_count: node.packet_count,
      dropped_packets: node.dropped_packets,
      bytes: repository.read(record, at),
    }))
    await this.#snapshots.keep(snapshot, window, taken)
    const request = { snapshot_name: snapshot, dissection_name: dissection, kfl: record.kfl }
    await this.#dissections.start(request)
  }

  /** Only what was made of this recording: a user may have made a snapshot of that name meanwhile. */
  async remove(record: RecordingRecord): Promise<void> {
    const { snapshot } = databaseOf(record.name)
    if (!this.isOf(record, snapshot)) return
    await this.#dissections.forgetSnapshot(snapshot, () => this.#snapshots.remove(snapshot, true))
  }
}
