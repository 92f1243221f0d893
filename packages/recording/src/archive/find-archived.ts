import { type ObjectStore, StorageProblem } from '@tapdeck/objects'
import { isSnapshotName } from '../snapshot-entries.ts'
import { type Stored, shareOf } from '../stored-snapshot.ts'
import { dataKey, MANIFESTS, manifestKey } from './archived.ts'
import { adoptFolder } from './bucket-listing.ts'
import { MAX_MANIFEST, readManifest } from './manifest.ts'

const MAX_NAMES = 20

/**
 * Makes the folder of one snapshot of a bucket below `root`, so that a `SnapshotStore` opens it, and returns its id. Throws
 * `StorageProblem` where the bucket has no such snapshot, or only a part of it.
 */
export async function findArchived(objects: ObjectStore, root: string, name: string): Promise<string> {
  if (!isSnapshotName(name)) throw new StorageProblem('missing', `"${name}" is no name of a snapshot`)
  const bytes = await objects.get(manifestKey(name), MAX_MANIFEST)
  if (bytes === undefined) throw new StorageProblem('missing', await missing(objects, name))
  const entry = readManifest(bytes, name, objects.address)
  if (entry === undefined)
    throw new StorageProblem(
      'damaged',
      `${manifestKey(name)} in ${objects.address} is no manifest that this version can read`,
    )
  await requireWhole(objects, entry)
  await adoptFolder(objects, root, entry)
  return entry.archive!.id
}

async function missing(objects: ObjectStore, name: string): Promise<string> {
  const names: string[] = []
  for await (const { key } of objects.list(MANIFESTS)) {
    names.push(key.slice(MANIFESTS.length).replace(/\.json$/, ''))
    if (names.length > MAX_NAMES) break
  }
  const known = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '')
  const hint = names.length === 0 ? 'It has none.' : `It has: ${known}.`
  return `no snapshot named "${name}" is in ${objects.address}. ${hint} A snapshot that is still being uploaded is not listed.`
}

/** A manifest is written after its data; someone may have deleted objects since. */
async function requireWhole(objects: ObjectStore, entry: Stored): Promise<void> {
  const { id } = entry.archive!
  const sizes = new Map<string, number>()
  for await (const { key, size } of objects.list(dataKey(id, ''))) sizes.set(key, size)
  const bad = entry.files.filter((one) => sizes.get(dataKey(id, one.file)) !== shareOf(entry, one).size_bytes)
  if (bad.length === 0) return
  throw new StorageProblem(
    'damaged',
    `snapshot "${entry.snapshot.name}" is incomplete in ${objects.address}: ${bad.length} of ${entry.files.length} captures are missing or have another size, such as ${dataKey(id, bad[0]!.file)}. Delete the snapshot, or restore the objects.`,
  )
}
