import { type Stored, shareOf } from '../stored-snapshot.ts'

const FORMAT = 1
/** A snapshot of a thousand nodes with all its segments has some megabytes. */
export const MAX_MANIFEST = 64 * 1024 * 1024

/** The text of a manifest: everything that another hub needs to read the snapshot. */
export function manifestOf(entry: Stored): Uint8Array {
  const { uploads: _, at: _address, ...archive } = entry.archive!
  // Files of nodes with a single one leave their size to the node: here it is said.
  const files = entry.files.map(({ remote: _remote, ...stored }) => ({
    ...stored,
    ...shareOf(entry, stored),
  }))
  return Buffer.from(
    JSON.stringify({ format: FORMAT, ...entry, files, archive: { ...archive, done: true } }, null, 1),
  )
}

/** Undefined where it is not a manifest of this version. Others may write to a bucket: nothing of it is trusted. */
export function readManifest(bytes: Uint8Array, name: string, at: string): Stored | undefined {
  try {
    const { format, ...entry } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Stored & {
      format: number
    }
    const { archive, files, snapshot, events = [] } = entry
    const isWhole =
      format === FORMAT &&
      archive?.done === true &&
      /^[0-9a-f-]{36}$/.test(archive.id) &&
      snapshot.status === 'completed' &&
      Array.isArray(snapshot.nodes) &&
      [...files, ...events, ...(archive.extras ?? []), ...(archive.files ?? [])].every(({ file }) =>
        isFileName(file),
      ) &&
      files.every(({ size_bytes }) => Number.isSafeInteger(size_bytes) && (size_bytes ?? -1) >= 0)
    return isWhole ? { ...entry, archive: { ...archive, at }, snapshot: { ...snapshot, name } } : undefined
  } catch {
    return undefined
  }
}

/** Files are stored below the folder of the snapshot, in it or one folder deeper. */
function isFileName(file: unknown): boolean {
  return typeof file === 'string' && /^(?!\.)[\w.~-]{1,255}(\/(?!\.)[\w.~-]{1,255})?$/.test(file)
}
