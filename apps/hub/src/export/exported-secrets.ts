import { createHash } from 'node:crypto'
import type { SnapshotKeys } from '../snapshots/snapshot-keys.ts'

/** Bytes of one secrets block. */
const MAX_BLOCK = 1024 * 1024

/** Which TLS secrets go into an exported capture. */
export interface ExportedSecrets {
  /** Secrets blocks of imported captures are written too. */
  readonly keepsImported: boolean
  /** Key logs that are added, each for one secrets block. */
  readonly added: readonly Uint8Array[]
}

export const allImported: ExportedSecrets = { keepsImported: true, added: [] }
export const withoutSecrets: ExportedSecrets = { keepsImported: false, added: [] }

/** The secrets that were collected for these nodes of a snapshot, each line once, as key logs. */
export async function collectedSecrets(
  keys: Pick<SnapshotKeys, 'read'>,
  snapshot: string,
  nodes: readonly string[],
): Promise<Uint8Array[]> {
  const lines = new Set<string>()
  for (const node of nodes)
    for (const { line } of (await keys.read(snapshot, node)) ?? []) lines.add(line.trim())
  return keyLogs(lines)
}

/** Lines as key logs, each for one secrets block. */
export function keyLogs(lines: Iterable<string>): Uint8Array[] {
  const blocks: Uint8Array[] = []
  let text = ''
  for (const line of lines) {
    if (text.length + line.length >= MAX_BLOCK) {
      blocks.push(Buffer.from(text))
      text = ''
    }
    text += `${line}\n`
  }
  return text === '' ? blocks : [...blocks, Buffer.from(text)]
}

/** Differs where the exported bytes differ. */
export function secretsVersion({ keepsImported, added }: ExportedSecrets): string {
  const hash = createHash('sha256').update(String(keepsImported))
  for (const block of added) hash.update(block)
  return hash.digest('base64url')
}
