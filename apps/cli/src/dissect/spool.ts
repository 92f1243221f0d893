import { type Filed, type SharedFile, SpoolFile } from './spool-file.ts'

/** Blocks of the file that are kept in memory once they were read. */
const mostRead = 16
/** Memory of blocks that are in the file now, for blocks to come. */
const mostSpare = 4

/**
 * Blocks of bytes that are put away now and read back later in another order, by number. Beyond a ceiling of memory
 * they go to a temporary file, and so do all that come after.
 */
export class Spool {
  readonly #ceiling: number
  readonly #blocks: (Uint8Array | Filed)[] = []
  /** Read back from the file, the one used last at the end. */
  readonly #read = new Map<number, Uint8Array>()
  readonly #spare: Uint8Array<ArrayBuffer>[] = []
  #memory = 0
  #file: SpoolFile | undefined
  #isFull = false
  /** The block that was asked for last: it is asked for again and again. */
  #last = -1
  #lastBlock: Uint8Array = new Uint8Array(0)

  constructor(ceiling = 64 << 20) {
    this.#ceiling = ceiling
  }

  /** Bytes that went to the file. */
  get spilled(): number {
    return this.#file?.size ?? 0
  }

  /** For other threads, to put blocks away themselves. */
  share(): SharedFile {
    this.#file ??= new SpoolFile()
    return this.#file.shared
  }

  /** The block's number, counting from 0. Its memory is the spool's now; what another thread put away is told so. */
  put(block: Uint8Array<ArrayBuffer> | Filed): number {
    const number = this.#blocks.push(block) - 1
    if (block instanceof Uint8Array) {
      if (this.#isFull) this.#spill(number)
      else {
        this.#memory += block.buffer.byteLength
        this.#isFull = this.#memory > this.#ceiling
        if (this.#isFull) for (let each = 0; each <= number; each++) this.#spill(each)
      }
    }
    return number
  }

  /** Memory that is free again, as large as a block had it; undefined where there is none. */
  spare(): Uint8Array<ArrayBuffer> | undefined {
    return this.#spare.pop()
  }

  /** True until another block is asked for. */
  get(number: number): Uint8Array {
    if (number !== this.#last) {
      const held = this.#blocks[number]!
      this.#lastBlock = held instanceof Uint8Array ? held : this.#fetch(number, held)
      this.#last = number
    }
    return this.#lastBlock
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #fetch(number: number, filed: Filed): Uint8Array {
    const known = this.#read.get(number)
    this.#read.delete(number)
    const block = known ?? this.#readInto(filed)
    this.#read.set(number, block)
    return block
  }

  /** Into the memory of the one that was used longest ago, where it fits. */
  #readInto(filed: Filed): Uint8Array {
    let room = new Uint8Array(0)
    if (this.#read.size >= mostRead)
      for (const [oldest, block] of this.#read) {
        this.#read.delete(oldest)
        room = new Uint8Array(block.buffer as ArrayBuffer)
        break
      }
    if (room.length < filed.length) room = this.spare() ?? room
    if (room.length < filed.length) room = new Uint8Array(filed.length)
    this.#file!.read(filed, room)
    return room.subarray(0, filed.length)
  }

  #spill(number: number): void {
    const block = this.#blocks[number]!
    if (!(block instanceof Uint8Array)) return
    this.#file ??= new SpoolFile()
    this.#last = -1
    this.#blocks[number] = this.#file.put(block)
    if (this.#spare.length < mostSpare) this.#spare.push(new Uint8Array(block.buffer as ArrayBuffer))
  }
}
