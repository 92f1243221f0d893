import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { Block, type BlockHeader, decodeHeader, HEADER, isIntact } from './block.ts'
import type { BlockCache } from './block-cache.ts'

/**
 * One append-only file of blocks, and where each block begins. A file that was closed well has that list beside it;
 * otherwise the headers are walked, and a torn tail is left out (or cut off, where the file will be written again).
 */
export class Segment {
  readonly #path: string
  readonly #fd: number
  readonly #cache: BlockCache
  #offsets: number[] | undefined
  #end = 0
  #closed = false

  constructor(path: string, mode: 'read' | 'write', cache: BlockCache) {
    this.#path = path
    this.#fd = openSync(path, mode === 'read' ? 'r' : 'a+', 0o600)
    this.#cache = cache
    if (mode === 'write') this.#cutTornTail()
  }

  get fd(): number {
    return this.#fd
  }

  get size(): number {
    return this.#closed ? this.#end : fstatSync(this.#fd).size
  }

  /** Where the next block will begin. */
  get end(): number {
    return this.#end
  }

  /** Number of the block that comes next. */
  get next(): number {
    return this.#list().length
  }

  /** Told by the writer that a block of this length was appended. */
  appended(number: number, length: number): void {
    this.#list()[number] = this.#end
    this.#end += length
  }

  /** Whether a block is there, as far as its header tells. */
  has(number: number): boolean {
    const offset = this.#list()[number]
    return offset !== undefined && offset >= 0
  }

  /** The bytes of an item; undefined where they were lost with a torn tail. */
  read(number: number, slot: number): Uint8Array | undefined {
    const key = `${this.#path}:${number}`
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached.item(slot)
    if (this.#closed) return undefined
    const offset = this.#list()[number]
    const header = this.has(number) ? this.#header(offset) : undefined
    if (header === undefined || header.number !== number) return undefined
    const stored = this.#bytes(offset + HEADER, header.storedLength)
    if (!isIntact(header, stored)) return undefined
    const block = new Block(header, stored)
    this.#cache.set(key, block)
    return block.item(slot)
  }

  /** Keeps the list of blocks beside the file: nothing more will be appended. */
  seal(): void {
    writeFileSync(
      `${this.#path}.idx`,
      new Uint8Array(Float64Array.from(this.#list(), (at) => at ?? -1).buffer),
      { mode: 0o600 },
    )
  }

  unseal(): void {
    rmSync(`${this.#path}.idx`, { force: true })
  }

  close(): void {
    if (this.#closed) return
    this.#end = this.size
    this.#closed = true
    closeSync(this.#fd)
  }

  #list(): number[] {
    this.#offsets ??= this.#sealedList() ?? this.#walk()
    return this.#offsets
  }

  #sealedList(): number[] | undefined {
    try {
      const bytes = readFileSync(`${this.#path}.idx`)
      const offsets = [
        ...new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~7))),
      ]
      // Of a damaged list nothing is taken: the file itself has the same.
      const { size } = fstatSync(this.#fd)
      const isWhole = size === 0 || offsets.length > 0
      return isWhole && offsets.every((at) => Number.isInteger(at) && at >= -1 && at < size)
        ? offsets
        : undefined
    } catch {
      return undefined
    }
  }

  #walk(): number[] {
    const offsets: number[] = []
    const size = fstatSync(this.#fd).size
    let at = 0
    for (let header = this.#header(at); header !== undefined; header = this.#header(at)) {
      const end = at + HEADER + header.storedLength
      if (end > size) break
      offsets[header.number] = at
      at = end
    }
    this.#end = at
    return offsets
  }

  #cutTornTail(): void {
    const size = fstatSync(this.#fd).size
    if (size === 0) {
      this.#offsets = []
      return
    }
    const offsets = this.#walk()
    const last = offsets.reduce((latest, at, number) => (at > (offsets[latest] ?? -1) ? number : latest), 0)
    const header = offsets.length > 0 ? this.#header(offsets[last]) : undefined
    if (header !== undefined && !isIntact(header, this.#bytes(offsets[last] + HEADER, header.storedLength))) {
      this.#end = offsets[last]
      delete offsets[last]
    }
    if (this.#end < size) ftruncateSync(this.#fd, this.#end)
    this.#offsets = offsets
  }

  #header(at: number): BlockHeader | undefined {
    return decodeHeader(this.#bytes(at, HEADER))
  }

  #bytes(at: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    let read = 0
    while (read < length) {
      const more = readSync(this.#fd, bytes, read, length - read, at + read)
      if (more === 0) break
      read += more
    }
    return read === length ? bytes : bytes.subarray(0, read)
  }
}
