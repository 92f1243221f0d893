import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StorageProblem } from '@tapdeck/objects'
import { ensureIndex } from '../chosen-packets.ts'
import { indexPath } from '../segment-index/index-file.ts'
import { hashOf } from '../snapshot-writer.ts'
import { META, type Stored, type StoredFile, shareOf } from '../stored-snapshot.ts'
import {
  type Archived,
  type ArchivedExtra,
  type ArchivedFile,
  dataKey,
  indexKey,
  manifestKey,
  sumsKey,
} from './archived.ts'
import { sumsBytes } from './block-sums.ts'
import { MAX_MANIFEST, manifestOf, readManifest } from './manifest.ts'
import { type ArchiveTarget, noteArchive } from './note-archive.ts'
import { uploadFile } from './upload-file.ts'

export interface Publication extends ArchiveTarget {
  readonly signal: AbortSignal
  /** Bytes of a capture arrived in the bucket. */
  sent(bytes: number): void
}

/**
 * Brings a finished snapshot into the bucket: its captures, what belongs to them, and last the manifest, which makes it
 * exist there. May be ended at any point and called again: what has arrived is not sent twice.
 */
export async function publishSnapshot(publication: Publication): Promise<void> {
  const { objects, entries, name, signal } = publication
  requireSameBucket(publication)
  const note = (change: Partial<Archived>) => noteArchive(publication, change)
  // The id is on this disk before the first object is in the bucket: what a crash leaves there is found by it.
  const { id } = await note({ at: objects.address })
  const present = new Map<string, number>()
  for await (const { key, size } of objects.list(dataKey(id, ''))) present.set(key, size)
  const files: ArchivedFile[] = []
  for (const stored of entries.get(name).files)
    files.push(await publishFile(publication, { id, stored, present, note }))
  const extras: ArchivedExtra[] = []
  for (const file of await extraFiles(publication)) {
    const extra = await describe(entries.path(name), file)
    extras.push(extra)
    if (present.get(dataKey(id, file)) !== extra.size_bytes)
      await publishExtra(publication, dataKey(id, file), extra, note)
  }
  signal.throwIfAborted()
  await note({ files, extras, uploads: {} })
  const { snapshot } = entries.get(name)
  await publishManifest(publication, id)
  await note({ done: true })
  // Tags and notes may have changed meanwhile.
  if (entries.get(name).snapshot !== snapshot)
    await objects.put(manifestKey(name), manifestOf(entries.get(name)))
  // One that began just before a crash was not noted.
  for (const upload of await objects.uploads(dataKey(id, '')).catch(() => []))
    await objects.abortUpload(upload).catch(() => {})
}

interface FileStep {
  readonly id: string
  readonly stored: StoredFile
  /** Objects that an earlier run brought, with their sizes. */
  readonly present: ReadonlyMap<string, number>
  note(change: Partial<Archived>): Promise<Archived>
}

async function publishFile(
  { objects, entries, name, signal, sent }: Publication,
  { id, stored, present, note }: FileStep,
): Promise<ArchivedFile> {
  const entry = entries.get(name)
  const { file, sha256, remote } = stored
  if (remote) return broughtByNode(entry, stored, present)
  if (sha256 === undefined) throw new Error(`${file} has no checksum yet`)
  const path = join(entries.path(name), file)
  const size = shareOf(entry, stored).size_bytes
  await ensureIndex(path, size, signal)
  const index = await describe(entries.path(name), `${file}.idx`).catch(() => undefined)
  if (index && present.get(indexKey(id, file)) !== index.size_bytes)
    await objects.put(indexKey(id, file), await readFile(indexPath(path)))
  const bytes = sumsBytes(size)
  const isThere = present.get(dataKey(id, file)) === size && present.get(sumsKey(id, file)) === bytes
  let sums = isThere ? await objects.get(sumsKey(id, file), bytes) : undefined
  if (sums === undefined) {
    const uploads = entry.archive?.uploads ?? {}
    sums = await uploadFile({
      ...{ objects, path, size, sha256, signal, sent },
      key: dataKey(id, file),
      resume: uploads[file],
      begun: (upload) =>
        note({ uploads: { ...entries.get(name).archive?.uploads, [file]: upload } }).then(() => {}),
    })
    await objects.put(sumsKey(id, file), sums)
  }
  return { file, sums_sha256: digest(sums), ...(index && { index }) }
}

/** What the node's own upload noted, if the object is still there. */
function broughtByNode(
  entry: Stored,
  stored: StoredFile,
  present: ReadonlyMap<string, number>,
): ArchivedFile {
  const { id, files = [] } = entry.archive!
  const found = files.find(({ file }) => file === stored.file)
  const key = dataKey(id, stored.file)
  if (found && present.get(key) === shareOf(entry, stored).size_bytes) return found
  throw new StorageProblem('missing', `${key}, which node "${stored.node}" uploaded, is not there any more`)
}

/** Parts that nodes uploaded do not move to another bucket. */
function requireSameBucket({ objects, entries, name }: Publication): void {
  const { files, archive } = entries.get(name)
  if (archive === undefined || archive.at === objects.address || !files.some(({ remote }) => remote)) return
  throw new StorageProblem(
    'missing',
    `nodes uploaded parts of this snapshot to ${archive.at}, and tap.snapshots.s3 is ${objects.address} now`,
  )
}

async function publishExtra(
  { objects, entries, name, signal }: Publication,
  key: string,
  { file, size_bytes: size, sha256 }: ArchivedExtra,
  note: (change: Partial<Archived>) => Promise<Archived>,
): Promise<void> {
  await uploadFile({
    ...{ objects, key, size, sha256, signal },
    path: join(entries.path(name), file),
    resume: undefined,
    begun: (upload) =>
      note({ uploads: { ...entries.get(name).archive?.uploads, [file]: upload } }).then(() => {}),
  })
}

/** Only one hub can give a name to a snapshot. */
async function publishManifest({ objects, entries, name }: Publication, id: string): Promise<void> {
  const key = manifestKey(name)
  try {
    await objects.putAfterLook(key, manifestOf(entries.get(name)), { onlyNew: true })
  } catch (error) {
    if (!(error instanceof StorageProblem) || error.kind !== 'exists') throw error
    const found = await objects.get(key, MAX_MANIFEST)
    // A crash may have come between the manifest and the note of it.
    if (found && readManifest(found, name, objects.address)?.archive?.id === id) return
    throw new StorageProblem(
      'exists',
      `another hub has a snapshot named "${name}" in ${objects.address}. Rename this one: tapdeck snapshot update ${name} --new-name NAME.`,
    )
  }
}

/** Names, events and sealed keys: all files beside the captures. */
async function extraFiles({ entries, name }: Publication): Promise<string[]> {
  const captures = new Set(entries.get(name).files.map(({ file }) => file))
  const found = await readdir(entries.path(name), { withFileTypes: true })
  return found
    .filter((one) => one.isFile() && one.name !== META && !captures.has(one.name))
    .map((one) => one.name)
    .filter((file) => !/\.(part|new|idx)$/.test(file) && !file.startsWith('.'))
}

async function describe(folder: string, file: string): Promise<ArchivedExtra> {
  const { size } = await stat(join(folder, file))
  return { file, size_bytes: size, sha256: await hashOf(join(folder, file)) }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
