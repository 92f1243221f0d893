import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from '@tapdeck/objects'
import { writeDurably } from '../durable-file.ts'
import { isSnapshotName } from '../snapshot-entries.ts'
import { META, type Stored } from '../stored-snapshot.ts'
import { MANIFESTS, manifestKey } from './archived.ts'
import { fetchExtras } from './archived-copies.ts'
import { MAX_MANIFEST, readManifest } from './manifest.ts'

/** The snapshots that the manifests of a bucket name. Only manifests that changed since the last time are read. */
export class BucketListing {
  readonly #objects: ObjectStore
  readonly #known = new Map<string, { readonly version: string; readonly entry: Stored | undefined }>()

  constructor(objects: ObjectStore) {
    this.#objects = objects
  }

  /** Manifests that cannot be understood, such as those of a later version. */
  unreadable: readonly string[] = []

  /** By name. */
  async read(): Promise<Map<string, Stored>> {
    const names = new Set<string>()
    for await (const { key, size, modified } of this.#objects.list(MANIFESTS)) {
      const name = key.slice(MANIFESTS.length).replace(/\.json$/, '')
      if (!key.endsWith('.json') || !isSnapshotName(name)) continue
      names.add(name)
      const version = `${modified}/${size}`
      if (this.#known.get(name)?.version === version) continue
      const bytes = await this.#objects.get(key, MAX_MANIFEST)
      this.#known.set(name, { version, entry: bytes && readManifest(bytes, name, this.#objects.address) })
    }
    const found = new Map<string, Stored>()
    for (const [name, { entry }] of this.#known) {
      if (!names.has(name)) this.#known.delete(name)
      else if (entry) found.set(name, entry)
    }
    this.unreadable = [...names].filter((name) => !found.has(name)).map(manifestKey)
    await this.#endRenames(found)
    return found
  }

  /** A renaming puts the manifest of the new name before it deletes that of the old one, and may end in between. */
  async #endRenames(found: Map<string, Stored>): Promise<void> {
    for (const { archive } of [...found.values()]) {
      const before = archive?.renamed_from
      if (before === undefined || found.get(before)?.archive?.id !== archive?.id) continue
      await this.#objects.remove([manifestKey(before)])
      found.delete(before)
      this.#known.delete(before)
    }
  }
}

/** Makes the folder of a snapshot that another hub published; it appears with all that belongs to it or not at all. */
export async function adoptFolder(objects: ObjectStore, root: string, entry: Stored): Promise<void> {
  const draft = await mkdtemp(join(root, '.new-'))
  try {
    await fetchExtras(objects, entry, draft)
    await writeDurably(join(draft, META), JSON.stringify(entry, null, 2))
    await rename(draft, join(root, entry.snapshot.name))
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}
