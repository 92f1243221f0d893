import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Who holds the lock of a folder: the text of the lock file. */
export interface LockRecord {
  readonly pid: number
  /** The process that started the holder. When it is gone, the holder is about to end. */
  readonly parent: number
  readonly host: string
  readonly command: string
  readonly since: string
}

export function ownRecord(now = new Date()): LockRecord {
  return {
    pid: process.pid,
    parent: process.ppid,
    host: hostname(),
    // Where /proc is missing, arguments are left out: they may contain a token.
    command: commandOf(process.pid) ?? process.argv.slice(0, 2).join(' '),
    since: now.toISOString(),
  }
}

/** Undefined where the file is missing, empty, or not of this form. */
export function readRecord(path: string): LockRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function describeHolder(record: LockRecord | undefined): string {
  if (!record) return 'by a process that has not written its name into the lock file'
  const { pid, host, command, since } = record
  return `by process ${pid} on ${host}, since ${since} (${command})`
}

/** Whether the recorded process runs on this machine. A different process with its number does not count. */
export function isHolderAlive({ pid, host, command }: LockRecord): boolean {
  return host === hostname() && isAlive(pid) && (commandOf(pid) ?? command) === command
}

/** Whether the holder runs on this machine and the process that started it is gone. Such a holder ends by itself. */
export function isOrphan(record: LockRecord): boolean {
  return isHolderAlive(record) && !isAlive(record.parent)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  // A process that has ended keeps its number until its parent asks for its status.
  return !/\) [ZX] /.test(textOf(`/proc/${pid}/stat`) ?? '')
}

function commandOf(pid: number): string | undefined {
  return textOf(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim()
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== 'object' || value === null) return false
  const { pid, parent, host, command, since } = value as Readonly<Record<string, unknown>>
  const texts = [host, command, since]
  return Number.isInteger(pid) && Number.isInteger(parent) && texts.every((one) => typeof one === 'string')
}
