import { randomUUID } from 'node:crypto'
import type { ObjectStore } from '@tapdeck/objects'
import type { SnapshotEntries } from '../snapshot-entries.ts'
import type { Archived } from './archived.ts'

/** A snapshot of this disk, and the bucket that it goes to. */
export interface ArchiveTarget {
  readonly objects: ObjectStore
  readonly entries: SnapshotEntries
  readonly name: string
}

/** Notes durably what is known of a snapshot in the bucket. The first note gives it an id. */
export async function noteArchive(
  { objects, entries, name }: ArchiveTarget,
  change: Partial<Archived>,
): Promise<Archived> {
  const entry = entries.get(name)
  const before = entry.archive ?? { id: randomUUID(), at: objects.address, done: false }
  const archive = { ...before, ...change }
  entries.set(name, { ...entry, archive })
  await entries.save(name)
  return archive
}
