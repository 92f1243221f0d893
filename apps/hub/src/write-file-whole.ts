import { open, rename, rm } from 'node:fs/promises'

/** Writes a small file that only its owner reads, so that a crash leaves the old text or the new one. */
export async function writeFileWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(draft, path)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}
