import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What workers prove themselves with: given by the environment, or kept in a file that only the owner reads. */
export async function workerCredential(given: string | undefined, dataFolder: string): Promise<string> {
  if (given !== undefined && given !== '') return given
  const file = join(dataFolder, 'worker.token')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known.trim() !== '') return known.trim()
  const fresh = randomBytes(32).toString('base64url')
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  await writeFile(file, `${fresh}\n`, { mode: 0o600 })
  return fresh
}
