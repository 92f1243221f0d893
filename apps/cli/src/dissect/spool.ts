import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const blockSize = 1 << 20

/**
 * Texts that are put away now and read back later in another order, by number. Beyond a ceiling of memory they go to
 * a temporary file, whose name is gone as soon as it is open.
 */
export class Spool {
  readonly #ceiling: number
  /** Of each text: which block, where in it, how long. */
  readonly #block: number[] = []
  readonly #start: number[] = []
  readonly #length: number[] = []
  /** Full blocks; undefined once they are in the file. */
  readonly #blocks: (Buffer | undefined)[] = []
  readonly #inFile: number[] = []
  #open = Buffer.allocUnsafe(blockSize)
  #used = 0
  #memory = 0
  #file: number | undefined
  #fileSize = 0

  constructor(ceiling = 64 * blockSize) {
    this.#ceiling = ceiling
  }

  get size(): number {
    return this.#length.length
  }

  /** Bytes that went to the file. */
  get spilled(): number {
    return this.#fileSize
  }

  /** The text's number, counting from 0. */
  put(text: string): number {
    const bytes = Buffer.byteLength(text)
    if (this.#used + bytes > this.#open.length) this.#seal(Math.max(blockSize, bytes))
    this.#open.write(text, this.#used)
    this.#block.push(this.#blocks.length)
    this.#start.push(this.#used)
    this.#used += bytes
    return this.#length.push(bytes) - 1
  }

  get(number: number): string {
    const block = this.#block[number]!
    const start = this.#start[number]!
    const length = this.#length[number]!
    const held = block === this.#blocks.length ? this.#open : this.#blocks[block]
    if (held !== undefined) return held.toString('utf8', start, start + length)
    const bytes = Buffer.allocUnsafe(length)
    const from = this.#inFile[block]! + start
    for (let done = 0; done < length; ) {
      const read = readSync(this.#file!, bytes, done, length - done, from + done)
      if (read === 0) throw new Error('the temporary file ends early')
      done += read
    }
    return bytes.toString()
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #seal(room: number): void {
    this.#blocks.push(this.#open.subarray(0, this.#used))
    this.#memory += this.#used
    if (this.#memory > this.#ceiling) this.#spill()
    this.#open = Buffer.allocUnsafe(room)
    this.#used = 0
  }

  #spill(): void {
    this.#file ??= openUnnamed()
    for (const [number, block] of this.#blocks.entries()) {
      if (block === undefined) continue
      for (let done = 0; done < block.length; )
        done += writeSync(this.#file, block, done, block.length - done, this.#fileSize + done)
      this.#inFile[number] = this.#fileSize
      this.#fileSize += block.length
      this.#blocks[number] = undefined
    }
    this.#memory = 0
  }
}

function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
  const file = openSync(join(folder, 'spool'), 'wx+', 0o600)
  rmSync(folder, { recursive: true })
  return file
}
