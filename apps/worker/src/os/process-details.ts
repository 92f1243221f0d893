import { readFileSync, readlinkSync } from 'node:fs'
import { scrubCommandLine } from '@tapdeck/redact/command-line'

/** Bounds of what is read; only the first characters are kept. */
const MAX_ARGUMENTS = 4096
const MAX_PATH = 512

export interface ProcessDetails {
  readonly ppid?: number
  readonly uid?: number
  readonly comm?: string
  readonly exe?: string
  readonly cmdline?: string
  readonly container?: string
}

/** Returns the redacted form of a command line argument. */
export type ShownArgument = (argument: string) => string

/**
 * Details of a process from /proc, as far as they can be read. The environment is not read, because it contains secrets.
 * Arguments are redacted one by one, before they are joined and truncated.
 */
export function processDetails(pid: number, shown?: ShownArgument): ProcessDetails {
  const status = read(pid, 'status')
  const ppid = /^PPid:\s+(\d+)/m.exec(status)?.[1]
  const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1]
  const comm = /^Name:\s+(.+)/m.exec(status)?.[1]
  const given = read(pid, 'cmdline').replace(/\0+$/, '').split('\0', MAX_ARGUMENTS)
  const cmdline = scrubCommandLine(shown ? given.map(shown) : given)
  const exe = programOf(pid)
  const container = containerOf(read(pid, 'cgroup'))
  return {
    ...(ppid !== undefined && { ppid: Number(ppid) }),
    ...(uid !== undefined && { uid: Number(uid) }),
    ...(comm !== undefined && { comm }),
    ...(exe !== undefined && { exe: exe.slice(0, MAX_PATH) }),
    ...(cmdline !== '' && { cmdline }),
    ...(container !== undefined && { container }),
  }
}

/** The name of a process; a thread may have a different one. */
export function processName(pid: number): string | undefined {
  return read(pid, 'comm').trimEnd() || undefined
}

/** Container runtimes name a cgroup after the container id: 64 hex digits. */
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
