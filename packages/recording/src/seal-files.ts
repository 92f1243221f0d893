import { join } from 'node:path'
import { sync } from './durable-file.ts'
import { hashOf } from './snapshot-writer.ts'
import { type Stored, type StoredFile, totalled } from './stored-snapshot.ts'

/** What is found out of files that have no checksum yet: one each, or why there can be none. */
export type Seals = ReadonlyMap<string, { readonly sha256: string } | { readonly error: string }>

/** Takes the checksums of files below a folder, once their bytes are on disk. */
export async function sealFiles(
  folder: string,
  files: readonly StoredFile[],
  signal?: AbortSignal,
): Promise<Seals> {
  const seals = new Map<string, { sha256: string } | { error: string }>()
  for (const { file } of files) {
    signal?.throwIfAborted()
    const path = join(folder, file)
    try {
      await sync(path)
      seals.set(file, { sha256: await hashOf(path, signal) })
    } catch (error) {
      signal?.throwIfAborted()
      seals.set(file, { error: `${file} cannot be read: ${(error as Error).message}` })
    }
  }
  return seals
}

export function isSealed(files: readonly StoredFile[]): boolean {
  return files.every(({ sha256 }) => sha256 !== undefined)
}

export function sealedWith(entry: Stored, seals: Seals): Stored {
  let { nodes, partial } = entry.snapshot
  const files = entry.files.map((stored) => {
    const seal = seals.get(stored.file)
    if (seal === undefined) return stored
    if ('sha256' in seal) return { ...stored, ...seal }
    nodes = nodes.map((known) => (known.name === stored.node ? { ...known, error: seal.error } : known))
    partial = true
    return stored
  })
  const verified = entry.snapshot.status === 'completed' && isSealed(files)
  const snapshot = { ...totalled(entry.snapshot, nodes, entry.events), partial, verified }
  return { ...entry, files, snapshot }
}
