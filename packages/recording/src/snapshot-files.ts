import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Damaged } from './damaged.ts'
import { openOnDisk, type RandomReader } from './random-reader.ts'
import type { SegmentIndex } from './segment-index/segment-index.ts'
import type { SnapshotCapture, SnapshotFile } from './snapshot.ts'
import { isArchived, isRemote, type Stored, type StoredFile, shareOf } from './stored-snapshot.ts'

/** Small enough that what is on its way out is young when it is garbage. */
const CHUNK = 256 * 1024

/** `archive` has the files of snapshots that are in a bucket. */
export function filesOf(folder: string, entry: Stored, archive?: RemoteCaptures): SnapshotFile[] {
  return entry.files.map((stored) => {
    const path = join(folder, stored.file)
    const remote = archive !== undefined && isRemote(entry, stored)
    return {
      node: stored.node,
      path,
      size_bytes: shareOf(entry, stored).size_bytes,
      ...(stored.sha256 !== undefined && { sha256: stored.sha256 }),
      open: () => (remote ? archive.open(entry, stored) : openHere(path, entry, stored, archive)),
      ...(remote && { index: () => archive.index(entry, stored) }),
    }
  })
}

interface RemoteCaptures {
  open(entry: Stored, stored: StoredFile): Promise<RandomReader>
  index(entry: Stored, stored: StoredFile): Promise<SegmentIndex | undefined>
  /** The entry as it is now, if it was moved to the bucket. */
  moved(entry: Stored): Stored | undefined
}

/** It may have been moved to the bucket since it was listed. */
async function openHere(
  path: string,
  entry: Stored,
  stored: StoredFile,
  archive: RemoteCaptures | undefined,
): Promise<RandomReader> {
  try {
    return await openOnDisk(path)
  } catch (error) {
    const moved = archive?.moved(entry)
    if (archive === undefined || moved === undefined) throw error
    return archive.open(moved, stored)
  }
}

export function capturesOf(folder: string, entry: Stored): SnapshotCapture[] {
  const nodes = new Set(entry.files.map(({ node }) => node))
  return [...nodes].map((node) => {
    const files = entry.files.filter((file) => file.node === node)
    return {
      node,
      paths: files.map(({ file }) => join(folder, file)),
      size_bytes: files.reduce((sum, file) => sum + shareOf(entry, file).size_bytes, 0),
      // A part of one that is in a bucket is chosen by its index, which may leave out other blocks.
      version: files
        .map(({ modified, sha256 }) => (isArchived(entry) ? sha256 : (modified ?? sha256)))
        .join(),
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
  for (const { path, size_bytes, sha256, open } of files) {
    const file = await open().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    })
    try {
      if (file?.size !== size_bytes) {
        report(`${path} has ${file === undefined ? 'vanished' : `${file.size} bytes, not ${size_bytes}`}`)
        continue
      }
      const hash = createHash('sha256')
      for await (const chunk of chunksOf(file)) {
        hash.update(chunk)
        yield chunk
      }
      if (sha256 !== undefined && hash.digest('hex') !== sha256)
        damaged?.(`${path} does not match its checksum; all of it was read`)
    } finally {
      await file?.close()
    }
  }
}

async function* chunksOf(file: RandomReader): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; ) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK, file.size - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
