import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** A longer line is no line of a key log. */
const MAX_LINE = 512
const CHUNK = 64 * 1024
const NEWLINE = 0x0a

/** Reads the lines that are appended to a file, through rotation and truncation. */
export class FollowedFile {
  /** Bytes at the beginning of a large file that were not read. */
  skippedBytes = 0
  /** The file was removed and read to its end. */
  isGone = false
  readonly #path: string
  readonly #maxBacklog: number
  #fd: number | undefined
  #at = 0
  /** An incomplete line at the end. */
  #rest: Buffer = Buffer.alloc(0)
  /** The rest of the line is dropped, because it is too long or its beginning was skipped. */
  #isSkippingLine = false

  /** Of a file with more than `maxBacklog` bytes, only the end is read. */
  constructor(path: string, maxBacklog: number) {
    this.#path = path
    this.#maxBacklog = maxBacklog
  }

  /** Passes on complete lines, at most about `maxBytes`. Returns the bytes read. Throws if the file cannot be read. */
  read(maxBytes: number, take: (lines: string) => void): number {
    const current = statSync(this.#path, { throwIfNoEntry: false })
    if (this.#fd === undefined) {
      if (current === undefined) this.isGone = true
      else if (current.isFile()) this.#open()
      if (this.#fd === undefined) return 0
    }
    const opened = fstatSync(this.#fd)
    if (opened.size < this.#at) this.#restart()
    const read = this.#readUntil(Math.min(opened.size, this.#at + maxBytes), take)
    // A rotated file is read to its end before the new one is opened.
    if (this.#at >= opened.size && !isSame(current, opened)) {
      this.close()
      this.isGone = current === undefined
    }
    return read
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
    this.#restart()
  }

  #open(): void {
    // A path that became a pipe meanwhile must not block.
    const fd = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(fd)
    if (!stats.isFile()) {
      closeSync(fd)
      return
    }
    this.#fd = fd
    if (stats.size <= this.#maxBacklog) return
    this.#at = stats.size - this.#maxBacklog
    this.skippedBytes += this.#at
    this.#isSkippingLine = true
  }

  #restart(): void {
    this.#at = 0
    this.#rest = Buffer.alloc(0)
    this.#isSkippingLine = false
  }

  #readUntil(end: number, take: (lines: string) => void): number {
    const start = this.#at
    while (this.#at < end) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - this.#at))
      const length = readSync(this.#fd!, chunk, 0, chunk.length, this.#at)
      if (length === 0) break
      this.#at += length
      this.#split(chunk.subarray(0, length), take)
    }
    return this.#at - start
  }

  #split(chunk: Buffer, take: (lines: string) => void): void {
    let from = 0
    if (this.#isSkippingLine) {
      const newline = chunk.indexOf(NEWLINE)
      if (newline < 0) return
      from = newline + 1
      this.#isSkippingLine = false
    }
    const until = chunk.lastIndexOf(NEWLINE) + 1
    if (until > from) {
      take(Buffer.concat([this.#rest, chunk.subarray(from, until)]).toString('latin1'))
      this.#rest = Buffer.alloc(0)
    }
    this.#rest = Buffer.concat([this.#rest, chunk.subarray(Math.max(from, until))])
    if (this.#rest.length <= MAX_LINE) return
    // Its beginning is passed on as a line of its own, so that it counts as a bad one.
    take(this.#rest.toString('latin1', 0, MAX_LINE))
    this.#rest = Buffer.alloc(0)
    this.#isSkippingLine = true
  }
}

function isSame(current: Stats | undefined, opened: Stats): boolean {
  return current !== undefined && current.dev === opened.dev && current.ino === opened.ino
}
