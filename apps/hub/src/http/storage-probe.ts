import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Enough that a disk with nothing but a few free blocks counts as full. */
const BYTES = Buffer.alloc(64 * 1024)
const HOLDS_MS = 1000

/**
 * Whether files can be stored in a folder now: a small one is written and removed. Rights, quotas and full disks all show in that.
 * The answer holds for a second, because any client may ask.
 */
export class StorageProbe {
  readonly #file: string
  readonly #now: () => number
  #until = Number.NEGATIVE_INFINITY
  #writable: Promise<boolean> = Promise.resolve(false)

  constructor(folder: string, now: () => number) {
    this.#file = join(folder, '.storage-probe')
    this.#now = now
  }

  isWritable(): Promise<boolean> {
    if (this.#now() >= this.#until) {
      this.#until = this.#now() + HOLDS_MS
      this.#writable = this.#write()
    }
    return this.#writable
  }

  async #write(): Promise<boolean> {
    try {
      await writeFile(this.#file, BYTES, { mode: 0o600 })
      return true
    } catch {
      return false
    } finally {
      await rm(this.#file, { force: true }).catch(() => {})
    }
  }
}
