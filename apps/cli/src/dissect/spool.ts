import { type Filed, type SharedFile, SpoolFile } from './spool-file.ts'

/** Blocks of the file that are kept in memory once they were read: some, and some more for each reader. */
const mostRead = 12
const mostEach = 2
/** Memory of blocks that are in the file now, for blocks to come. */
const mostSpare = 4

/** A block that was read back. */
export class OpenBlock {
  readonly number: number
  readonly bytes: Uint8Array
  /** Not so any more once its memory is used for another. */
  isTrue = true
  #words: Uint32Array | undefined

  constructor(number: number, bytes: Uint8Array) {
    this.number = number
    this.bytes = bytes
  }

  /** The same as numbers of four bytes. */
  get words(): Uint32Array {
    if (this.#words === undefined) {
      const { buffer, byteOffset, byteLength } = this.bytes
      this.#words = new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT)
    }
    return this.#words
  }
}

/** Remembers the block that it was asked for last. */
export class SpoolReader {
  readonly #spool: Spool
  #last: OpenBlock | undefined

  constructor(spool: Spool) {
    this.#spool = spool
  }

  /** Valid until the next request for a block. */
  get(number: number): OpenBlock {
    const last = this.#last
    if (last !== undefined && last.number === number && last.isTrue) return last
    const next = this.#spool.open(number)
    this.#last = next
    return next
  }
}

/**
 * Blocks of bytes that are put away now and read back later in another order, by number. Beyond a ceiling of memory
 * they go to a temporary file, and so do all that come after.
 */
export class Spool {
  readonly #ceiling: number
  readonly #blocks: (Uint8Array | Filed)[] = []
  /** Read back from the file, the one asked for last at the end. */
  readonly #read = new Map<number, OpenBlock>()
  readonly #spare: Uint8Array<ArrayBuffer>[] = []
  #memory = 0
  #file: SpoolFile | undefined
  #isFull = false
  #readers = 0

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

  /** The block's number, counting from 0. Its memory now belongs to the spool; blocks stored by another thread are marked. */
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

  /** For readers that request the same block repeatedly. */
  reader(): SpoolReader {
    this.#readers++
    return new SpoolReader(this)
  }

  /** Nothing may be put away any more while it is used. */
  open(number: number): OpenBlock {
    const held = this.#blocks[number]!
    return held instanceof Uint8Array ? new OpenBlock(number, held) : this.#fetch(number, held)
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #fetch(number: number, filed: Filed): OpenBlock {
    const known = this.#read.get(number)
    this.#read.delete(number)
    const block = known ?? new OpenBlock(number, this.#readBack(filed))
    this.#read.set(number, block)
    return block
  }

  /** Into the memory of the one that was asked for longest ago, where it fits. */
  #readBack(filed: Filed): Uint8Array {
    let room = new Uint8Array(0)
    if (this.#read.size >= mostRead + this.#readers * mostEach)
      for (const [oldest, block] of this.#read) {
        this.#read.delete(oldest)
        block.isTrue = false
        room = new Uint8Array(block.bytes.buffer as ArrayBuffer)
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
    this.#blocks[number] = this.#file.put(block)
    if (this.#spare.length < mostSpare) this.#spare.push(new Uint8Array(block.buffer as ArrayBuffer))
  }
}
