import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a small file that only its owner reads, so that a crash leaves the old text or the new one, never a part. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
  await sync(dirname(path))
}

/** Makes renames and removals inside a folder, or the bytes of a file, survive a power cut. */
export async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
