import { closeSync, openSync } from 'node:fs'

const MIB = 1 << 20
/** Bytes that are flushed to disk at once. */
const PART_BYTES = 8 * MIB
/** Newest bytes that stay in the page cache, for queries about the last moments. */
const KEPT_BYTES = 256 * MIB
/**
 * Files that are kept in the page cache. Each costs a descriptor, and with little traffic a segment has far less than its
 * size, because it ends after a minute.
 */
const KEPT_FILES = 8
/** Pending calls at which the disk is considered behind. */
const MAX_CALLS = 2

/** Asks the kernel to write these bytes of a file to disk and to drop them from the page cache. */
export type LeaveCache = (fd: number, from: number, length: number, done: () => void) => void

interface WrittenFile {
  readonly path: string
  /** A separate descriptor: the file may be renamed or deleted meanwhile. */
  readonly fd: number
  handed: number
  written: number
  /** Calls that use the descriptor now. */
  calls: number
  /** No more calls will follow. */
  done: boolean
}

interface Part {
  readonly file: WrittenFile
  readonly from: number
  readonly length: number
  /** The last part of the file. */
  readonly last: boolean
}

/**
 * Keeps the recording from filling the page cache: written bytes are flushed soon and dropped from the cache later, so that
 * its pages are reused and other programs keep theirs. It never waits: while the disk is behind, the page cache absorbs the
 * writes.
 */
export class WriteBehind {
  readonly #leaveCache: LeaveCache
  readonly #keptBytes: number
  readonly #parts: Part[] = []
  #kept = 0
  #keptFiles = 0
  #file: WrittenFile | undefined
  #calls = 0

  /** `ringBytes`: size of the recording. */
  constructor(leaveCache: LeaveCache, ringBytes: number) {
    this.#leaveCache = leaveCache
    this.#keptBytes = Math.min(KEPT_BYTES, ringBytes / 2)
  }

  /** `bytes` were written to this file. */
  wrote(path: string, bytes: number): void {
    if (path !== this.#file?.path) {
      this.#end()
      this.#file = opened(path)
    }
    const file = this.#file
    if (file === undefined) return
    file.written = bytes
    if (bytes - file.handed >= PART_BYTES) this.#hand(file, false)
  }

  /** This file was deleted: its disk space becomes free only when it is closed. */
  deleted(path: string): void {
    if (this.#file?.path === path) this.#end()
    for (const part of this.#parts.filter(({ file }) => file.path === path)) {
      this.#parts.splice(this.#parts.indexOf(part), 1)
      this.#drop(part)
    }
  }

  close(): void {
    this.#end()
    for (const { file, last } of this.#parts) if (last) release(file)
    this.#parts.length = 0
  }

  #end(): void {
    if (this.#file) this.#hand(this.#file, true)
    this.#file = undefined
  }

  #hand(file: WrittenFile, last: boolean): void {
    const part = { file, from: file.handed, length: file.written - file.handed, last }
    file.handed = file.written
    this.#parts.push(part)
    this.#kept += part.length
    if (last) this.#keptFiles++
    this.#leave(part)
    while (this.#kept > this.#keptBytes || this.#keptFiles > KEPT_FILES) {
      const oldest = this.#parts.shift()
      if (oldest === undefined) return
      this.#leave(oldest)
      this.#drop(oldest)
    }
  }

  #drop({ file, length, last }: Part): void {
    this.#kept -= length
    if (!last) return
    this.#keptFiles--
    release(file)
  }

  #leave({ file, from, length }: Part): void {
    if (length === 0 || this.#calls >= MAX_CALLS) return
    this.#calls++
    file.calls++
    this.#leaveCache(file.fd, from, length, () => {
      this.#calls--
      file.calls--
      if (file.done) release(file)
    })
  }
}

/** Closes a file as soon as no call uses its descriptor: the number could belong to another file by then. */
function release(file: WrittenFile): void {
  file.done = true
  if (file.calls === 0) closeSync(file.fd)
}

function opened(path: string): WrittenFile | undefined {
  try {
    return { path, fd: openSync(path, 'r'), handed: 0, written: 0, calls: 0, done: false }
  } catch {
    // The file was deleted: nothing to flush.
    return undefined
  }
}
