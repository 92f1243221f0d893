import { closeSync, openSync } from 'node:fs'

const MIB = 1 << 20
/** How much is handed to the disk at once. */
const PART_BYTES = 8 * MIB
/** How much of the newest stays in memory, for whoever asks what has just happened. */
const KEPT_BYTES = 256 * MIB
/** The disk gets no more to do while it is behind by so many calls. */
const MOST_CALLS = 2

/** Tells the kernel that these bytes of a file are not needed in memory: what is not on disk yet goes there first. */
export type LeaveCache = (fd: number, from: number, length: number, done: () => void) => void

interface WrittenFile {
  readonly path: string
  /** Of our own: the file may be renamed, or deleted, meanwhile. */
  readonly fd: number
  handed: number
  written: number
}

interface Part {
  readonly file: WrittenFile
  readonly from: number
  readonly length: number
  /** None of the file follows. */
  last: boolean
}

/**
 * Keeps the recording from filling the page cache: what is written goes to disk soon, and leaves the memory a while later. Its
 * pages are then used again and again, which is cheaper than ever more of them, and whatever else runs here keeps its own.
 * It never waits: where the disk is behind, the page cache takes what comes, as without it.
 */
export class WriteBehind {
  readonly #leaveCache: LeaveCache
  readonly #parts: Part[] = []
  #kept = 0
  #file: WrittenFile | undefined
  #calls = 0

  constructor(leaveCache: LeaveCache) {
    this.#leaveCache = leaveCache
  }

  /** `bytes` of the file that bears this name now are written. */
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

  close(): void {
    this.#end()
    for (const { file, last } of this.#parts) if (last) closeSync(file.fd)
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
    this.#leave(part)
    while (this.#kept > KEPT_BYTES) {
      const oldest = this.#parts.shift()
      if (oldest === undefined) return
      this.#kept -= oldest.length
      this.#leave(oldest, () => oldest.last && closeSync(oldest.file.fd))
    }
  }

  #leave({ file, from, length }: Part, then: () => void = () => {}): void {
    if (length === 0 || this.#calls >= MOST_CALLS) {
      then()
      return
    }
    this.#calls++
    this.#leaveCache(file.fd, from, length, () => {
      this.#calls--
      then()
    })
  }
}

function opened(path: string): WrittenFile | undefined {
  try {
    return { path, fd: openSync(path, 'r'), handed: 0, written: 0 }
  } catch {
    // Taken away by somebody: there is nothing to do for it.
    return undefined
  }
}
