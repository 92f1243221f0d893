import type { ObjectStore } from '@tapdeck/objects'
import { Damaged } from '../damaged.ts'
import type { RandomReader } from '../random-reader.ts'
import { isIntact, SUM_BLOCK, sumsBytes } from './block-sums.ts'

/** Read at once while a file is read from its beginning to its end: fewer requests, bounded memory. */
const AHEAD = 4 * 1024 * 1024

/** A capture file in a bucket, read by ranges. Each block is compared with its checksum before it is used. */
export class RemoteFile implements RandomReader {
  readonly size: number
  readonly #objects: ObjectStore
  readonly #key: string
  readonly #sums: Uint8Array
  /** The last range: whole blocks. */
  #window = new Uint8Array(0)
  #from = 0
  /** Where a reader that goes on would continue. */
  #next = 0

  constructor(objects: ObjectStore, key: string, size: number, sums: Uint8Array) {
    if (sums.length !== sumsBytes(size))
      throw new Damaged(`the checksums of ${key} are not those of ${size} bytes`)
    this.#objects = objects
    this.#key = key
    this.size = size
    this.#sums = sums
  }

  async read(
    target: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }> {
    const end = Math.min(position + length, this.size)
    let at = position
    while (at < end) {
      if (at < this.#from || at >= this.#from + this.#window.length) await this.#load(at, end)
      const part = this.#window.subarray(at - this.#from, end - this.#from)
      target.set(part, offset + at - position)
      at += part.length
    }
    this.#next = Math.max(at, position)
    return { bytesRead: Math.max(0, at - position) }
  }

  /** Whole blocks from the one with `at`. */
  async #load(at: number, end: number): Promise<void> {
    const isSequential = at === 0 || at === this.#next || at === this.#from + this.#window.length
    const from = at - (at % SUM_BLOCK)
    const wanted = isSequential ? Math.max(end, from + AHEAD) : Math.min(end, from + AHEAD)
    const until = Math.min(this.size, Math.ceil(wanted / SUM_BLOCK) * SUM_BLOCK)
    this.#window = new Uint8Array(await this.block(from, until))
    this.#from = from
  }

  /** `from` is the begin of a block, `end` that of another one or of nothing. Throws `Damaged`. */
  async block(from: number, end: number, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = await this.#objects.read(this.#key, from, end, signal)
    if (!isIntact(this.#sums, from / SUM_BLOCK, bytes))
      throw new Damaged(`${this.#key} does not match its checksum between byte ${from} and ${end}`)
    return bytes
  }

  async close(): Promise<void> {
    this.#window = new Uint8Array(0)
  }
}
