import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chunkNumbers, folderOf } from './chunk.ts'

/**
 * Makes one index of several that share no flow: their chunks move into `folder`, those of a part after those of the part
 * before it, so that the states of a flow stay in successive chunks. None of them may be open.
 */
export function joinIndexes(folder: string, parts: readonly string[]): void {
  let last = chunkNumbers(readdirSync(folder)).at(-1) ?? 0
  for (const part of parts) {
    for (const number of chunkNumbers(readdirSync(part)))
      renameSync(join(part, folderOf(number)), join(folder, folderOf(++last)))
    rmSync(part, { recursive: true })
  }
}
