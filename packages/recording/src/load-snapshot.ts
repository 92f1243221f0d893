import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkFiles } from './snapshot-damage.ts'
import { isArchived, META, type Stored, unreadable } from './stored-snapshot.ts'

/** What a snapshot's folder holds. What was left over by a process that ended while it wrote is deleted. */
export async function loadSnapshot(path: string, name: string): Promise<Stored> {
  const entry = await readMeta(path, name)
  // Without it the files of the snapshot are not known: keep everything.
  if (entry === undefined) return { snapshot: unreadable(name), files: [] }
  const kept = new Set([META, ...entry.files.map((known) => known.file.split('/')[0])])
  for (const found of await readdir(path, { withFileTypes: true })) {
    const leftOver = found.isFile()
      ? /\.(part|new)$/.test(found.name)
      : /\.(segments|copies)$/.test(found.name)
    if (leftOver && !kept.has(found.name)) await rm(join(path, found.name), { recursive: true, force: true })
  }
  // Those are in the bucket, and checked when they are read.
  return isArchived(entry) ? entry : checkFiles(path, entry)
}

async function readMeta(path: string, name: string): Promise<Stored | undefined> {
  try {
    const entry: Stored = JSON.parse(await readFile(join(path, META), 'utf8'))
    if (!Array.isArray(entry.files)) throw new Error()
    // What an older version wrote says less; a crash may have come between a renaming and its note.
    const { source = 'recording', tags = [], notes = '', verified = true } = entry.snapshot
    return { ...entry, snapshot: { ...entry.snapshot, name, source, tags, notes, verified } }
  } catch {
    return undefined
  }
}
