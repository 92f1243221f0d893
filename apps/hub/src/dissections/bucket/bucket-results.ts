import type { ArchivedSnapshots, FoundDissection } from '@tapdeck/recording'
import type { Snapshots } from '../../snapshots/snapshots.ts'
import type { DissectionDatabases } from '../dissection-databases.ts'
import type { DissectionRecord } from '../dissection-record.ts'
import { type DissectionRepository, keyOf } from '../dissection-repository.ts'
import { recordOf } from './job-claim.ts'
import { unusable } from './unusable.ts'

export interface BucketResultsOptions {
  readonly archive: ArchivedSnapshots
  readonly snapshots: Snapshots
  readonly repository: DissectionRepository
  readonly databases: DissectionDatabases
  /** The checksum of the rules of this hub. */
  readonly rules: string
}

/** Dissections that jobs stored in the bucket. This hub lists them and answers from a copy. */
export class BucketResults {
  readonly #options: BucketResultsOptions

  constructor(options: BucketResultsOptions) {
    this.#options = options
  }

  /** Fetches what is new, and forgets what is gone. Returns whether something changed. */
  async refresh(problem: (text: string) => void): Promise<boolean> {
    const { archive, snapshots, repository } = this.#options
    const found = await archive.dissections.list()
    const { ignored } = archive.dissections
    if (ignored > 0)
      problem(`${ignored} dissections in the bucket are ignored, because it has too many. Delete some.`)
    const names = new Map(snapshots.list().map(({ name }) => [archive.idOf(name), name]))
    let changed = false
    for (const one of found) {
      const snapshot = names.get(one.id)
      const record = recordOf(one)
      if (snapshot === undefined || record?.status !== 'completed') continue
      const adopted = { ...record, snapshot_name: snapshot, dissection_name: one.name, run: one.run }
      if (repository.has(keyOf(adopted))) continue
      const refusal = this.#refusal(one, adopted)
      if (refusal !== undefined) {
        problem(`dissection "${keyOf(adopted)}": ${refusal}`)
        continue
      }
      try {
        await this.#fetch(one, adopted)
        changed = true
      } catch (error) {
        problem(`dissection "${keyOf(adopted)}": ${(error as Error).message}`)
      }
    }
    const runs = new Set(found.map(({ run }) => run))
    for (const record of repository.all()) if (await this.#isGone(record, runs)) changed = true
    return changed
  }

  /** Takes a result out of the bucket, so that no hub fetches it again. */
  async remove({ snapshot_name, dissection_name: name, run }: DissectionRecord): Promise<void> {
    const { archive } = this.#options
    const id = archive.idOf(snapshot_name)
    if (id !== undefined && run !== undefined) await archive.dissections.remove({ id, name, run })
  }

  #refusal(found: FoundDissection, { snapshot_name, nodes }: DissectionRecord): string | undefined {
    const { snapshots, rules } = this.#options
    // Each is an index of its own that every question opens.
    if (nodes.length > snapshots.captures(snapshot_name).length)
      return 'it names more nodes than its snapshot has'
    return unusable(found, rules, snapshots.room.free)
  }

  async #fetch(one: FoundDissection, record: DissectionRecord): Promise<void> {
    const { archive, repository } = this.#options
    await repository.adopt({ ...record, size_bytes: sizeOf(one.files) }, (folder) =>
      archive.dissections.fetch(one, folder),
    )
  }

  /** Another hub may have deleted it. A listing may lag: the object itself is asked for. */
  async #isGone(record: DissectionRecord, runs: ReadonlySet<string>): Promise<boolean> {
    const { archive, repository, databases } = this.#options
    const { run, snapshot_name, dissection_name, status } = record
    const id = archive.idOf(snapshot_name)
    if (run === undefined || runs.has(run) || id === undefined || status !== 'completed') return false
    if ((await archive.dissections.read(id, dissection_name))?.run === run) return false
    repository.forget(record)
    await databases.forget(record)
    await repository.removeFiles(record)
    return true
  }
}

function sizeOf(files: FoundDissection['files']): number {
  return files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
}
