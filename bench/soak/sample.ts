import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What a process holds at an instant. */
export interface Held {
  /** Resident memory, bytes. */
  readonly memory: number
  /** Of it: memory that is not a part of a file. */
  readonly anonymous: number
  readonly descriptors: number
  /** Of them: files of the recording, of the live index, and files that were deleted. */
  readonly recordingFiles: number
  readonly indexFiles: number
  readonly deletedFiles: number
  readonly threads: number
}

export function held(pid: number): Held {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  const count = (part: string) => open.filter((path) => path.includes(part)).length
  return {
    memory: figure('VmRSS') * 1024,
    anonymous: figure('RssAnon') * 1024,
    descriptors: open.length,
    recordingFiles: count('/recording/'),
    indexFiles: count('/live/chunk-'),
    deletedFiles: count('.pcapng (deleted)') + count('.duckdb (deleted)') + count('.seg (deleted)'),
    threads: figure('Threads'),
  }
}

/** A descriptor can be closed while the folder is read. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** The processes below this one, by what their command lines contain. */
export function childOf(pid: number, word: string): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    .trim()
    .split(' ')
    .filter(Boolean)
  for (const child of children) {
    if (readFileSync(`/proc/${child}/cmdline`, 'latin1').includes(word)) return Number(child)
  }
  throw new Error(`the process ${pid} has no child with "${word}"`)
}

/** Bytes of all files below a folder. Files that vanish meanwhile count nothing. */
export function folderSize(folder: string): number {
  let total = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    total += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  }
  return total
}

/** A store of numbered parts, the oldest of which is deleted when it is full. */
export interface Parts {
  readonly bytes: number
  readonly kept: number
  /** Parts that were deleted so far: numbers begin at 1. */
  readonly deleted: number
}

export function parts(folder: string, name: RegExp): Parts {
  const numbers = readdirSync(folder).flatMap((file) => {
    const digits = name.exec(file)?.[1]
    return digits === undefined ? [] : [Number(digits)]
  })
  return {
    bytes: folderSize(folder),
    kept: numbers.length,
    deleted: numbers.length === 0 ? 0 : Math.min(...numbers) - 1,
  }
}
