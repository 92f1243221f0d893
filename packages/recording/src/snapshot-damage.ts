import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Damaged } from './damaged.ts'
import { hashOf } from './snapshot-writer.ts'
import { nodeState, type Stored, type StoredFile, shareOf, totalled } from './stored-snapshot.ts'

/**
 * What is left of a snapshot whose files may have been touched. A file that is gone or has another size is left out,
 * and reported; its node is failed if it has no other. A changed file with a wrong checksum is reported,
 * and what can be read of it stays usable. Unchanged files are not read again: `verify` does that.
 */
export async function checkFiles(path: string, entry: Stored): Promise<Stored> {
  let { snapshot, files } = entry
  // Those in the bucket are checked when they are read.
  for (const stored of entry.files.filter(({ remote }) => !remote)) {
    const share = shareOf(entry, stored)
    const damage = await damageOf(path, stored, share.size_bytes)
    if (damage === undefined) continue
    const { error, readable } = damage
    if (!readable) files = files.filter((known) => known !== stored)
    const nodes = snapshot.nodes.map((known) => {
      if (known.name !== stored.node) return known
      if (readable) return { ...known, error }
      if (!files.some(({ node }) => node === known.name)) return { ...nodeState(known.name, 'failed'), error }
      return {
        ...known,
        size_bytes: known.size_bytes - share.size_bytes,
        packet_count: known.packet_count - share.packet_count,
        error,
      }
    })
    snapshot = { ...totalled(snapshot, nodes, entry.events), partial: true, verified: false }
  }
  return { ...entry, snapshot, files }
}

/** Reads all bytes on this disk again and compares; throws `Damaged` at the first file that is not what was stored. */
export async function verifyFiles(path: string, { files, events = [] }: Stored): Promise<void> {
  const here = files.filter(({ remote }) => !remote)
  for (const { file, sha256 } of [...here, ...events])
    if (sha256 !== undefined && (await hashOf(join(path, file))) !== sha256)
      throw new Damaged(`${file} does not match its checksum`)
}

async function damageOf(
  folder: string,
  { file, sha256, modified }: StoredFile,
  expected: number,
): Promise<{ readonly error: string; readonly readable: boolean } | undefined> {
  const path = join(folder, file)
  const status = await stat(path).catch(() => undefined)
  if (status === undefined) return { error: `${file} has vanished`, readable: false }
  if (status.size !== expected)
    return { error: `${file} has ${status.size} bytes, not ${expected}`, readable: false }
  if (modified === undefined || status.mtimeMs === modified) return undefined
  if (sha256 === undefined)
    return { error: `${file} was changed before its checksum was taken`, readable: true }
  if ((await hashOf(path)) === sha256) return undefined
  return { error: `${file} was changed: it does not match its checksum`, readable: true }
}
