import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '@tapdeck/recording'

const ID = /^[0-9a-f]{16}$/

/** Names a data folder: a hub that starts again with it continues its own work at once. */
export async function hubId(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'hub.id')
  const known = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (ID.test(known)) return known
  const fresh = randomBytes(8).toString('hex')
  await writeDurably(file, `${fresh}\n`)
  return fresh
}
