import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ObjectStore } from '@tapdeck/objects'
import { Damaged } from '../damaged.ts'
import { parseIndex, readIndex } from '../segment-index/index-file.ts'
import type { SegmentIndex } from '../segment-index/segment-index.ts'
import { type Stored, type StoredFile, shareOf } from '../stored-snapshot.ts'
import { type ArchivedExtra, dataKey, indexKey, sumsKey } from './archived.ts'
import { SUM_BLOCK, sumsBytes } from './block-sums.ts'
import { RemoteFile } from './remote-file.ts'

const RANGE = 4 * 1024 * 1024
const MAX_INDEX = 256 * 1024 * 1024
const EVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

/** Opens a capture of a snapshot in the bucket. Throws `Damaged`. */
export async function openRemote(
  objects: ObjectStore,
  entry: Stored,
  stored: StoredFile,
): Promise<RemoteFile> {
  const { id, files = [] } = entry.archive!
  const { file } = stored
  const size = shareOf(entry, stored).size_bytes
  const sums = await objects.get(sumsKey(id, file), sumsBytes(size))
  const expected = files.find((one) => one.file === file)?.sums_sha256
  if (sums === undefined || createHash('sha256').update(sums).digest('hex') !== expected)
    throw new Damaged(`the checksums of ${dataKey(id, file)} in ${objects.address} are gone or changed`)
  return new RemoteFile(objects, dataKey(id, file), size, sums)
}

/** The index of a capture in the bucket; undefined where it has none. Throws `Damaged`. */
export async function remoteIndex(
  objects: ObjectStore,
  entry: Stored,
  stored: StoredFile,
): Promise<SegmentIndex | undefined> {
  const { id, files = [] } = entry.archive!
  const index = files.find(({ file }) => file === stored.file)?.index
  if (index === undefined || index.size_bytes > MAX_INDEX) return undefined
  const bytes = await objects.get(indexKey(id, stored.file), index.size_bytes)
  if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== index.sha256)
    throw new Damaged(`the index of ${dataKey(id, stored.file)} in ${objects.address} is gone or changed`)
  return parseIndex(bytes, shareOf(entry, stored).size_bytes)
}

/**
 * Makes a copy of a capture for readers that need a file on disk, with its index beside it. With `parties` it has only the
 * regions where the index says that packets of them are; the rest of the file is a hole. Returns the bytes that were read.
 */
export async function copyCapture(
  objects: ObjectStore,
  entry: Stored,
  stored: StoredFile,
  copy: {
    readonly path: string
    readonly parties: readonly (readonly number[])[]
    readonly signal: AbortSignal
  },
): Promise<number> {
  const { path, parties, signal } = copy
  const size = shareOf(entry, stored).size_bytes
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const index = entry.archive?.files?.find(({ file }) => file === stored.file)?.index
  let read = 0
  if (index && parties.length > 0 && index.size_bytes <= MAX_INDEX) {
    await fetchFile(objects, indexKey(entry.archive!.id, stored.file), index, `${path}.idx`, signal)
    read += index.size_bytes
  }
  const known = index && parties.length > 0 ? readIndex(path, size) : undefined
  const ranges = known?.select({ ...EVER, anyOf: parties }) ?? [{ at: 0, end: size }]
  const remote = await openRemote(objects, entry, stored)
  const file = await open(path, 'w', 0o600)
  try {
    await file.truncate(size)
    for (const { at, end } of blocksOf(ranges, size))
      for (let from = at; from < end; from += RANGE) {
        const bytes = await remote.block(from, Math.min(end, from + RANGE), signal)
        await file.write(bytes, 0, bytes.length, from)
        read += bytes.length
      }
  } finally {
    await file.close()
  }
  return read
}

/** Ranges as whole blocks, each once, in ascending order. */
function blocksOf(
  ranges: readonly { readonly at: number; readonly end: number }[],
  size: number,
): { at: number; end: number }[] {
  const merged: { at: number; end: number }[] = []
  for (const range of ranges) {
    const at = range.at - (range.at % SUM_BLOCK)
    const end = Math.min(size, Math.ceil(range.end / SUM_BLOCK) * SUM_BLOCK)
    const last = merged.at(-1)
    if (last && at <= last.end) last.end = Math.max(last.end, end)
    else if (end > at) merged.push({ at, end })
  }
  return merged
}

/** A small file of a snapshot, whole and with the checksum that the manifest says, or not at all. */
export async function fetchFile(
  objects: ObjectStore,
  key: string,
  { size_bytes: size, sha256 }: ArchivedExtra,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const draft = `${path}.new`
  const hash = createHash('sha256')
  try {
    await writeFile(draft, '', { mode: 0o600 })
    for (let at = 0; at < size; at += RANGE) {
      const bytes = await objects.read(key, at, Math.min(size, at + RANGE), signal)
      hash.update(bytes)
      await writeFile(draft, bytes, { flag: 'a' })
    }
    if (hash.digest('hex') !== sha256)
      throw new Damaged(`${key} in ${objects.address} does not match its checksum`)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Fetches what belongs to a snapshot beside its captures into a folder. */
export async function fetchExtras(objects: ObjectStore, { archive }: Stored, folder: string): Promise<void> {
  for (const extra of archive?.extras ?? [])
    await fetchFile(objects, dataKey(archive!.id, extra.file), extra, join(folder, extra.file))
}
