import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What a process holds at an instant. */
export interface Held {
  /** Resident memory, bytes. */
  readonly memory: number
  readonly descriptors: number
  readonly threads: number
}

export function held(pid: number): Held {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  return {
    memory: figure('VmRSS') * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: figure('Threads'),
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
