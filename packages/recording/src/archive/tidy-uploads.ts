import type { StoredFile } from '../stored-snapshot.ts'
import { dataKey, indexKey, sumsKey } from './archived.ts'
import type { ArchiveTarget } from './note-archive.ts'

/** Removes what the bucket has of a snapshot beyond its files: uploads that did not end, and objects that nothing names. */
export async function tidyUploads(target: ArchiveTarget, files: readonly StoredFile[]): Promise<void> {
  const { objects, entries, name } = target
  const { id } = entries.get(name).archive!
  const named = new Set(
    files
      .filter(({ remote }) => remote)
      .flatMap(({ file }) => [dataKey, sumsKey, indexKey].map((key) => key(id, file))),
  )
  for (const upload of await objects.uploads(dataKey(id, ''))) await objects.abortUpload(upload)
  const unnamed: string[] = []
  for await (const { key } of objects.list(dataKey(id, ''))) if (!named.has(key)) unnamed.push(key)
  await objects.remove(unnamed)
  const entry = entries.find(name)
  if (entry?.archive === undefined) return
  const { uploads: _, ...archive } = entry.archive
  entries.set(name, { ...entry, archive })
  await entries.save(name)
}
