import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderUser } from './lock/folder-in-use.ts'

/** What each process keeps in the data folder. Other files there are not ours to change. */
const kept: Readonly<Record<FolderUser, readonly string[]>> = {
  hub: [
    'access',
    'agent-scripts.json',
    'agents.json',
    'audit',
    'cluster-events',
    'cluster-names.json',
    'credential-key.json',
    'hub.id',
    'hub.lock',
    'coverage.json',
    'inventory.json',
    'inventory.json.damaged',
    'link-authority.json',
    'link-ca.pem',
    'live-losses.json',
    'recording-losses.json',
    'recordings',
    'saved-filters.json',
    'snapshot-requests',
    'snapshots',
    'stream-losses.json',
    'switch.json',
    'targets.json',
    'tls-sealing-keys.json',
    'worker.token',
  ],
  worker: [
    'live',
    'live-clickhouse',
    'live.damaged',
    'os-events',
    'recording',
    'tls-keys',
    'worker-names.json',
    'worker.lock',
  ],
}
/** What a process stores in the data folder. */
export function dataFolderNames(user: FolderUser): readonly string[] {
  return kept[user]
}

const ours = new Set([...kept.hub, ...kept.worker])
const OTHERS = 0o077

export interface PrivateFolder {
  /** Files and folders that other users could read until now. */
  readonly mended: number
  /** Those that still can be read, as they belong to another user, and why for one of them. */
  readonly failed: number
  readonly reason?: string
}

/**
 * Takes the rights of other users from everything that a process keeps in its data folder: earlier versions, and copies
 * by hand, left files that every user could read. The folder itself is included where it holds nothing else.
 */
export function makePrivate(folder: string, user: FolderUser): PrivateFolder {
  const result = { mended: 0, failed: 0, reason: undefined as string | undefined }
  const mend = (path: string, { mode }: Stats) => {
    if ((mode & OTHERS) === 0) return
    try {
      chmodSync(path, mode & 0o7777 & ~OTHERS)
      result.mended++
    } catch (error) {
      result.failed++
      result.reason ??= error instanceof Error ? error.message : String(error)
    }
  }
  const visit = (path: string) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats || stats.isSymbolicLink()) return
    mend(path, stats)
    if (stats.isDirectory()) for (const name of namesIn(path)) visit(join(path, name))
  }
  const names = namesIn(folder)
  if (names.every((name) => ours.has(name))) mend(folder, statSync(folder))
  for (const name of kept[user]) {
    // A folder on another disk may be linked here. Links below are none of ours.
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) continue
    mend(path, stats)
    if (stats.isDirectory()) for (const inner of namesIn(path)) visit(join(path, inner))
  }
  const { mended, failed, reason } = result
  return { mended, failed, ...(reason !== undefined && { reason }) }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
