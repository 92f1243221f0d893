import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatKeyLogEntry, parseKeyLog } from '@tapdeck/tls'
import { FollowedFile } from './followed-file.ts'
import { type CapturedSecret, type KeySource, type KeySourceStatus, NO_ACTIVITY } from './key-source.ts'

const POLL_MS = 100
/** Key log files that are followed at the same time. */
const MAX_FILES = 1000
/** Bytes read at each poll, over all files: it bounds the time that the worker's main thread is kept. */
const MAX_BYTES_PER_POLL = 512 * 1024
/** Of a larger file only the end is read: older connections are not recorded any more. */
const MAX_BACKLOG = 16 * 1024 * 1024

/** Follows key logs in NSS format. A path may be a file or a folder of such files, and need not exist yet. */
export class KeyLogFileSource implements KeySource {
  readonly #paths: readonly string[]
  readonly #maxBacklog: number
  readonly #files = new Map<string, FollowedFile>()
  #timer: NodeJS.Timeout | undefined
  #onSecret: ((secret: CapturedSecret) => void) | undefined
  #secrets = 0
  #badLines = 0
  #refused = 0
  #fault: string | undefined
  /** The file that is read first at the next poll, so that a busy one does not keep the others waiting. */
  #first = 0
  #readUntil = 0

  constructor(paths: readonly string[], maxBacklog = MAX_BACKLOG) {
    this.#paths = paths
    this.#maxBacklog = maxBacklog
  }

  start(onSecret: (secret: CapturedSecret) => void): void {
    this.#onSecret = onSecret
    this.#timer = setInterval(() => this.#poll(), POLL_MS).unref()
    this.#poll()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#onSecret = undefined
    for (const file of this.#files.values()) file.close()
    this.#files.clear()
  }

  status(): KeySourceStatus {
    const skipped = [...this.#files.values()].reduce((sum, { skippedBytes }) => sum + skippedBytes, 0)
    const reason =
      this.#fault ??
      (this.#refused > 0
        ? `${this.#refused} key log files are not read: at most ${MAX_FILES} are followed. Remove old ones.`
        : skipped > 0
          ? `The first ${skipped} bytes of large key logs were skipped. Rotate them.`
          : undefined)
    return {
      ...NO_ACTIVITY,
      ...(reason !== undefined && { reason }),
      secrets: this.#secrets,
      badLines: this.#badLines,
      files: this.#files.size,
    }
  }

  get readUntil(): number {
    return this.#readUntil
  }

  #poll(): void {
    const now = Date.now()
    this.#fault = undefined
    this.#find()
    let left = MAX_BYTES_PER_POLL
    const files = [...this.#files]
    for (let at = 0; at < files.length && left > 0; at++) {
      const [path, file] = files[(this.#first + at) % files.length]!
      try {
        left -= file.read(left, (text) => this.#take(text))
      } catch (error) {
        this.#fault = `The key log ${path} cannot be read: ${messageOf(error)}`
      }
      if (file.isGone) {
        file.close()
        this.#files.delete(path)
      }
    }
    if (left > 0) this.#readUntil = now
    this.#first = files.length === 0 ? 0 : (this.#first + 1) % files.length
  }

  /** Adds files that are new. */
  #find(): void {
    this.#refused = 0
    for (const path of this.#paths)
      try {
        if (statSync(path).isDirectory()) this.#findIn(path)
        else this.#follow(path)
      } catch (error) {
        if (!isMissing(error)) this.#fault = `The key log ${path} cannot be read: ${messageOf(error)}`
      }
  }

  #findIn(folder: string): void {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      // Others may write to the folder: links out of it, pipes and devices are not opened.
      if (!this.#files.has(path) && lstatSync(path, { throwIfNoEntry: false })?.isFile()) this.#follow(path)
    }
  }

  #follow(path: string): void {
    if (this.#files.has(path)) return
    if (this.#files.size >= MAX_FILES) this.#refused++
    else this.#files.set(path, new FollowedFile(path, this.#maxBacklog))
  }

  #take(text: string): void {
    const { entries, skipped } = parseKeyLog(text)
    this.#badLines += skipped
    const at = Date.now()
    for (const entry of entries) {
      this.#secrets++
      this.#onSecret?.({ line: formatKeyLogEntry(entry), at, source: 'key_log_file' })
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
