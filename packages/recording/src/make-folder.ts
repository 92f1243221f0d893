import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sync, writeDurably } from './durable-file.ts'
import { NameTaken } from './name-taken.ts'
import { META, type Stored } from './stored-snapshot.ts'

/** Makes the folder of a new snapshot, which appears with what is known of it or not at all. Throws `NameTaken`. */
export async function makeFolder(root: string, entry: Stored): Promise<void> {
  const { name } = entry.snapshot
  const draft = await mkdtemp(join(root, '.new-'))
  await writeDurably(join(draft, META), JSON.stringify(entry, null, 2))
  await rename(draft, join(root, name)).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true, force: true })
    throw error.code === 'ENOTEMPTY' || error.code === 'EEXIST' ? new NameTaken(name) : error
  })
  await sync(root)
}
