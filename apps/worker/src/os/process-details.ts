import { readFileSync, readlinkSync } from 'node:fs'

const MOST_ARGUMENTS = 1024
/** More than is kept, so that nothing is cut off where it would no longer be known for a secret. */
const MOST_READ = 4 * MOST_ARGUMENTS
const MOST_PATH = 512

export interface ProcessDetails {
  readonly ppid?: number
  readonly uid?: number
  readonly comm?: string
  readonly exe?: string
  readonly cmdline?: string
  readonly container?: string
}

/** What is kept of an argument of a command. */
export type ShownArgument = (argument: string) => string

/** What /proc says of a process, as far as it is there and may be read. */
export function processDetails(pid: number, shown?: ShownArgument): ProcessDetails {
  const status = read(pid, 'status')
  const ppid = /^PPid:\s+(\d+)/m.exec(status)?.[1]
  const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1]
  const comm = /^Name:\s+(.+)/m.exec(status)?.[1]
  const given = read(pid, 'cmdline').replace(/\0+$/, '').slice(0, MOST_READ).split('\0')
  const cmdline = (shown ? given.map(shown) : given).join(' ')
  const exe = programOf(pid)
  const container = containerOf(read(pid, 'cgroup'))
  return {
    ...(ppid !== undefined && { ppid: Number(ppid) }),
    ...(uid !== undefined && { uid: Number(uid) }),
    ...(comm !== undefined && { comm }),
    ...(exe !== undefined && { exe: exe.slice(0, MOST_PATH) }),
    ...(cmdline !== '' && { cmdline: cmdline.slice(0, MOST_ARGUMENTS) }),
    ...(container !== undefined && { container }),
  }
}

/** The name of a process; a thread may have one of its own. */
export function processName(pid: number): string | undefined {
  return read(pid, 'comm').trimEnd() || undefined
}

/** Container runtimes name a cgroup by the container's id: 64 hex digits. */
export function containerOf(cgroup: string): string | undefined {
  return /[/:-]([0-9a-f]{64})(?:\.scope)?(?:\/|$)/m.exec(cgroup)?.[1]
}

function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return undefined
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
