import { closeSync, constants, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, fileLocks } from './file-lock.ts'
import { FolderInUse, folderOption, type LockUser } from './folder-in-use.ts'
import {
  describeHolder,
  isHolderAlive,
  isOrphan,
  type LockRecord,
  ownRecord,
  readRecord,
} from './lock-record.ts'

export interface LockFolderOptions {
  /** A line for the log: the lock is waited for, or cannot be relied on. */
  note(line: string): void
  /** How long a holder that may be ending is waited for. */
  readonly patienceMs?: number
  /** Waits until the holder ends, however long, and only with a lock that the kernel keeps. */
  readonly standby?: boolean
  /** Ways to lock a file, best first. */
  readonly ways?: readonly FileLock[]
}

const PATIENCE_MS = 10_000
const PAUSE_MS = 100

/** Where the holder of the lock is recorded. */
export function lockFile(folder: string, user: LockUser): string {
  return join(folder, `${user}.lock`)
}

/**
 * Lets one process of a kind at a time use a folder. The lock is on a file in that folder, so it also excludes processes in other
 * containers, and on other machines where the file system supports it. Call the returned function to release it; the
 * kernel does so when the process ends. Rejects with `FolderInUse`, or where the folder cannot be used.
 */
export async function lockFolder(
  folder: string,
  user: LockUser,
  options: LockFolderOptions,
): Promise<() => void> {
  const { note, patienceMs = PATIENCE_MS, standby = false, ways = fileLocks } = options
  const path = lockFile(folder, user)
  const fd = openLockFile(folder, path, user)
  try {
    for (let waited = 0; !(await take(fd, path, ways, standby ? undefined : note)); waited += PAUSE_MS) {
      const holder = readRecord(path)
      // A holder here whose parent is at work does not end soon. Of any other we do not know.
      const isBusy = holder !== undefined && isHolderAlive(holder) && !isOrphan(holder)
      if (!standby && (isBusy || waited >= patienceMs)) throw new FolderInUse(folder, user, holder)
      if (waited === 0) note(`waiting for ${path}: it is locked ${describeHolder(holder)}`)
      await sleep(PAUSE_MS)
    }
    ftruncateSync(fd)
    writeSync(fd, `${JSON.stringify(ownRecord())}\n`, 0)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return () => closeSync(fd)
}

/** The file is never deleted: a process could lock the deleted file while another locks its successor. */
function openLockFile(folder: string, path: string, user: LockUser): number {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot use ${folder}: ${why}. Choose another folder with ${folderOption[user]}.`)
  }
}

async function take(
  fd: number,
  path: string,
  ways: readonly FileLock[],
  note: ((line: string) => void) | undefined,
): Promise<boolean> {
  const failures: string[] = []
  for (const way of ways)
    try {
      return await way.lock(fd)
    } catch (error) {
      failures.push(`${way.name}: ${error instanceof Error ? error.message : error}`)
    }
  if (note === undefined)
    throw new Error(
      `${path} cannot be locked (${failures.join('; ')}). A standby needs a file system with locks; two hubs would write the same files.`,
    )
  const holder = readRecord(path)
  if (holder && holder.pid !== process.pid && isHolderAlive(holder)) return false
  note(
    `${path} cannot be locked (${failures.join('; ')}). Only a process of this machine that is recorded there is noticed: make sure that no other uses this folder.`,
  )
  return true
}

/**
 * Calls `lost` once another process has written itself into the lock file: a file system of the network may give a lock away
 * while its holder is cut off. Returns a function that ends this.
 */
export function watchLock(
  folder: string,
  user: LockUser,
  lost: (holder: string) => void,
  everyMs = 2000,
): () => void {
  const path = lockFile(folder, user)
  const own = readRecord(path)
  const timer = setInterval(() => {
    const now = readRecord(path)
    if (own === undefined || now === undefined || isSameRecord(own, now)) return
    clearInterval(timer)
    lost(describeHolder(now))
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

function isSameRecord(a: LockRecord, b: LockRecord): boolean {
  return a.pid === b.pid && a.host === b.host && a.since === b.since
}
