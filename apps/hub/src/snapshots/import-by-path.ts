import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { Problem } from '@tapdeck/api'

const CHUNK = 1 << 20

/**
 * A file below the folder that captures may be imported from. Throws 403 where there is no such folder, and 404 for
 * whatever is not a file in it: the answer reveals nothing about other folders.
 */
export async function importByPath(folder: string, path: string): Promise<AsyncIterable<Uint8Array>> {
  if (folder === '')
    throw new Problem(403, 'no_import_folder', 'Import by path is disabled', {
      hint: 'Send the file as the request body, or set tap.snapshots.importFolder.',
    })
  const found = await fileBelow(folder, path)
  if (found === undefined)
    throw new Problem(404, 'unknown_file', `No file "${path.slice(0, 200)}" in tap.snapshots.importFolder`)
  return bytesOf(found)
}

/** The file is opened at the first read: an import may be refused before. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: CHUNK })
}

/** Links are followed before it is decided where a file lies. */
async function fileBelow(folder: string, path: string): Promise<string | undefined> {
  try {
    const [root, found] = await Promise.all([realpath(folder), realpath(join(folder, path))])
    const inside = relative(root, found)
    if (isAbsolute(path) || isAbsolute(inside) || inside === '..' || inside.startsWith('../'))
      return undefined
    return (await stat(found)).isFile() ? found : undefined
  } catch {
    return undefined
  }
}
