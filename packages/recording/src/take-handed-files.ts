import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { Damaged } from './damaged.ts'
import type { HandedFile } from './hand-over.ts'
import { indexPath } from './segment-index/index-file.ts'
import type { StoredFile } from './stored-snapshot.ts'

const NAME = /^[a-z0-9][\w-]*\.pcapng$/i

/** Files that a worker put into a folder, if they are as announced: regular, readable and of that size. */
export async function takeHandedFiles(
  folder: string,
  files: readonly HandedFile[],
  node: string,
): Promise<StoredFile[]> {
  const taken: StoredFile[] = []
  for (const { name: file, size_bytes, packet_count } of files) {
    if (!NAME.test(file)) throw new Damaged(`"${file}" is no name of a segment`)
    const path = join(folder, file)
    const status = await lstat(path)
    const { mtimeMs: modified, size } = status
    if (!status.isFile() || size !== size_bytes)
      throw new Damaged(`${file} has ${size} bytes, not ${size_bytes}`)
    await access(path, constants.R_OK)
    taken.push({ node, file, modified, size_bytes, packet_count })
  }
  return taken
}

/** What the indexes beside some files take. */
export async function indexBytesBeside(paths: readonly string[]): Promise<number> {
  const found = paths.map((path) =>
    lstat(indexPath(path)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(found)).reduce((sum, size) => sum + size, 0)
}
