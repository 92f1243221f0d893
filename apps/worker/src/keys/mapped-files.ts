import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'

/** A process may have many mappings; of the list, so much is read. */
const MAX_MAPS_BYTES = 4 << 20
const CHUNK = 64 * 1024
const MAX_FILES = 32
/** addresses, permissions with x, offset, device, inode, path */
const CODE = /^0*([0-9a-f]+)-0*([0-9a-f]+) ..x. [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ ([1-9]\d*) +(\/.*)$/
const LIBRARY = /\/lib(?:ssl|node|gnutls)[-.\d][^/]*$/

/** A file whose code a process runs: its program, or a library that may do TLS. */
export interface MappedFile {
  readonly pid: number
  readonly path: string
  readonly inode: number
  /** As in the names of /proc/PID/map_files. */
  readonly range: string
}

/** The files of a process that may do TLS. Empty if the process has ended. */
export function mappedFiles(pid: number): MappedFile[] {
  const program = programOf(pid)
  const found = new Map<string, MappedFile>()
  for (const line of readMaps(pid).split('\n')) {
    const match = CODE.exec(line)
    if (match === null || found.size >= MAX_FILES) continue
    const [, from, to, inode, path = ''] = match
    if ((path === program || LIBRARY.test(path)) && !found.has(path))
      found.set(path, { pid, path, inode: Number(inode), range: `${from}-${to}` })
  }
  return [...found.values()]
}

/**
 * Opens exactly the file that is mapped, whatever its path leads to now: a container controls its own paths. Undefined if
 * the process has ended.
 */
export function openMappedFile({ pid, path, inode, range }: MappedFile): number | undefined {
  return (
    tryOpen(`/proc/${pid}/map_files/${range}`) ??
    // The links above need CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
    (path === programOf(pid) ? tryOpen(`/proc/${pid}/exe`) : tryOpen(`/proc/${pid}/root${path}`, inode))
  )
}

function tryOpen(path: string, inode?: number): number | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(fd)
    if (stats.isFile() && (inode === undefined || stats.ino === inode)) return fd
    closeSync(fd)
  } catch {
    // It has ended, or there is no right to open it.
  }
  return undefined
}

function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return undefined
  }
}

function readMaps(pid: number): string {
  let fd: number | undefined
  try {
    fd = openSync(`/proc/${pid}/maps`, 'r')
    const chunks: Buffer[] = []
    for (let read = 0; read < MAX_MAPS_BYTES; ) {
      const chunk = Buffer.allocUnsafe(CHUNK)
      const length = readSync(fd, chunk)
      if (length === 0) break
      chunks.push(chunk.subarray(0, length))
      read += length
    }
    return Buffer.concat(chunks).toString('latin1')
  } catch {
    return ''
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
