import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Damaged } from './damaged.ts'
import { readChunks } from './read-chunks.ts'
import type { SnapshotCapture, SnapshotFile } from './snapshot.ts'
import { type Stored, shareOf } from './stored-snapshot.ts'

/** Small enough that what is on its way out is young when it is garbage. */
const CHUNK = 256 * 1024

export function filesOf(folder: string, entry: Stored): SnapshotFile[] {
  return entry.files.map((stored) => ({
    node: stored.node,
    path: join(folder, stored.file),
    size_bytes: shareOf(entry, stored).size_bytes,
    ...(stored.sha256 !== undefined && { sha256: stored.sha256 }),
  }))
}

export function capturesOf(folder: string, entry: Stored): SnapshotCapture[] {
  const nodes = new Set(entry.files.map(({ node }) => node))
  return [...nodes].map((node) => {
    const files = entry.files.filter((file) => file.node === node)
    return {
      node,
      paths: files.map(({ file }) => join(folder, file)),
      size_bytes: files.reduce((sum, file) => sum + shareOf(entry, file).size_bytes, 0),
      version: files.map(({ modified, sha256 }) => modified ?? sha256).join(),
    }
  })
}

/**
 * The bytes of some files, one after the other, in chunks of up to 256 KiB. One of another size than was stored ends it with
 * `Damaged`, or is reported and skipped. One with another checksum is reported when it is read: it stays usable.
 */
export async function* readFiles(
  files: readonly SnapshotFile[],
  damaged?: (reason: string) => void,
): AsyncGenerator<Uint8Array> {
  const report = (reason: string) => {
    if (damaged === undefined) throw new Damaged(reason)
    damaged(reason)
  }
  for (const { path, size_bytes, sha256 } of files) {
    const size = await sizeOf(path)
    if (size !== size_bytes) {
      report(`${path} has ${size < 0 ? 'vanished' : `${size} bytes, not ${size_bytes}`}`)
      continue
    }
    const hash = createHash('sha256')
    for await (const chunk of readChunks(path, CHUNK)) {
      hash.update(chunk)
      yield chunk
    }
    if (sha256 !== undefined && hash.digest('hex') !== sha256)
      damaged?.(`${path} does not match its checksum; all of it was read`)
  }
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    (status) => status.size,
    () => -1,
  )
}
