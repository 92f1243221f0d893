import { gzipSync } from 'node:zlib'
import { tarArchive } from '../image/tar-archive.mjs'

/** A compressed archive of files below one folder. The same files give the same bytes. */
export function packArchive(entries, folder) {
  const below = entries.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }))
  return gzipSync(tarArchive(below))
}
