import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Blocks of the file that are kept in memory once they were read. */
const mostRead = 16

/**
 * Blocks of bytes that are put away now and read back later in another order, by number. Beyond a ceiling of memory
 * they go to a temporary file, whose name is gone as soon as it is open.
 */
export class Spool {
  readonly #ceiling: number
  /** Undefined once they are in the file. */
  readonly #blocks: (Uint8Array | undefined)[] = []
  readonly #lengths: number[] = []
  readonly #inFile: number[] = []
  /** Read back from the file, the one used last at the end. */
  readonly #read = new Map<number, Uint8Array>()
  #memory = 0
  #file: number | undefined
  #fileSize = 0

  constructor(ceiling = 64 << 20) {
    this.#ceiling = ceiling
  }

  /** Bytes that went to the file. */
  get spilled(): number {
    return this.#fileSize
  }

  /** The block's number, counting from 0. The bytes are the spool's now. */
  put(block: Uint8Array): number {
    this.#blocks.push(block)
    this.#memory += block.buffer.byteLength
    const number = this.#lengths.push(block.length) - 1
    if (this.#memory > this.#ceiling) this.#spill()
    return number
  }

  get(number: number): Uint8Array {
    const held = this.#blocks[number]
    if (held !== undefined) return held
    const known = this.#read.get(number)
    this.#read.delete(number)
    const block = known ?? this.#fetch(number)
    this.#read.set(number, block)
    if (this.#read.size > mostRead) for (const [oldest] of this.#read) return this.#drop(oldest, block)
    return block
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #drop(number: number, block: Uint8Array): Uint8Array {
    this.#read.delete(number)
    return block
  }

  #fetch(number: number): Uint8Array {
    const length = this.#lengths[number]!
    const bytes = new Uint8Array(length)
    const from = this.#inFile[number]!
    for (let done = 0; done < length; ) {
      const read = readSync(this.#file!, bytes, done, length - done, from + done)
      if (read === 0) throw new Error('the temporary file ends early')
      done += read
    }
    return bytes
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
