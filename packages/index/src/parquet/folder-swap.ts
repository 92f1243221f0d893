import { lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { NotWritable } from './not-writable.ts'

const PART = /^part-\d{5,}\.parquet$/

/**
 * The folder of a table, written beside the one that it replaces. A kill at any step leaves the old table or the new one; what else
 * it leaves is recovered or removed when the folder is next opened. Only files of an export are ever deleted.
 */
export class FolderSwap {
  readonly path: string
  /** What an interrupted export left behind, and what became of it: sentences for the user. */
  readonly notes: string[] = []

  private constructor(path: string) {
    this.path = path
  }

  /** One process at a time may do this. */
  static async open(path: string): Promise<FolderSwap> {
    const swap = new FolderSwap(path)
    const [current, replaced, partial] = [
      await partsOf(path),
      await partsOf(swap.#replaced),
      await partsOf(swap.partial),
    ]
    if (replaced !== undefined && current === undefined) {
      // It ended between the two renames of `commit`: the new table is complete.
      await rename(partial === undefined ? swap.#replaced : swap.partial, path)
      swap.notes.push(`An earlier export was interrupted while it replaced ${path}, which is now complete.`)
    } else if (partial !== undefined) {
      swap.notes.push(`Removed ${swap.partial}: the export that wrote it was interrupted.`)
    }
    await removeParts(swap.#replaced)
    await removeParts(swap.partial)
    await mkdir(swap.partial, { mode: 0o700, recursive: true })
    return swap
  }

  /** Where the new table is written. */
  get partial(): string {
    return `${this.path}.partial`
  }

  get #replaced(): string {
    return `${this.path}.replaced`
  }

  /** The name of a part. The first is 1. */
  part(number: number): string {
    return join(this.partial, `part-${String(number).padStart(5, '0')}.parquet`)
  }

  /** Gives the new table its name and removes the old one. */
  async commit(): Promise<void> {
    // No system replaces a folder that has files in one step.
    await rename(this.path, this.#replaced).catch(unlessMissing)
    await rename(this.partial, this.path)
    await removeParts(this.#replaced)
  }

  /** Removes the new table. After `commit` this does nothing. */
  async rollback(): Promise<void> {
    await removeParts(this.partial)
  }
}

/** The parts in a folder; undefined if there is no folder. */
async function partsOf(folder: string): Promise<readonly string[] | undefined> {
  const found = await lstat(folder).catch(unlessMissing)
  if (found === undefined) return undefined
  if (!found.isDirectory())
    throw new NotWritable(`${folder} is not a folder. Move it away, or choose another folder.`)
  const names = await readdir(folder)
  const foreign = names.find((name) => !PART.test(name))
  if (foreign !== undefined)
    throw new NotWritable(
      `${folder} contains ${foreign}, which is not from an export and would be deleted. Move it away, or choose another folder.`,
    )
  return names.map((name) => join(folder, name))
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function removeParts(folder: string): Promise<void> {
  const parts = await partsOf(folder)
  if (parts === undefined) return
  for (const part of parts) await rm(part)
  await rmdir(folder)
}
