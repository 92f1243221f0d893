import { fdatasync, fdatasyncSync, ftruncateSync, writevSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { ByteWriter } from '@tapdeck/dissect'
import type { Loss } from '@tapdeck/wire'
import { BROTLI, brotliOptions, checksum, encodeHeader, HEADER, PLAIN } from './block.ts'
import { BlockBuilder } from './block-builder.ts'
import type { Segment } from './segment.ts'

const compress = promisify(brotliCompress)
const synchronize = promisify(fdatasync)

/** Blocks that wait for compression or are in it. */
const MAX_WAITING = 16
/**
 * Blocks that are stored as they are once more came than can be compressed: then the machine has better things to do.
 * Each time that it happens again soon, twice as many, since whatever is compressed meanwhile takes from the writing.
 * It is over at the latest when no more comes from one flush to the next than may wait.
 */
const MIN_REST = 512
const MAX_REST = 8192
/** So many blocks in turn that could all be compressed, and a rest is as short as the first again. */
const CALM = 128

interface Waiting {
  readonly builder: BlockBuilder
  readonly raw: Uint8Array
  done: Promise<void>
}

/**
 * Appends items to a segment. Full blocks are compressed one at a time off this thread, so that what is spare of the
 * machine goes into compression and no more; where that is not enough, blocks are stored as they are: the writer never
 * waits. Each block is written as soon as it is ready, in whatever order.
 */
export class SegmentWriter {
  readonly #segment: Segment
  readonly #loss: Loss
  readonly #waiting = new Map<number, Waiting>()
  readonly #spare: BlockBuilder[] = []
  #last: Promise<void> = Promise.resolve()
  #builder = new BlockBuilder()
  #rest = 0
  #nextRest = MIN_REST
  #calm = 0
  /** The block that was next at the last flush. */
  #settled = 0
  #failure: unknown
  #synced = true

  /** No block gets a number below `first`: rows may remember one that a crash took. */
  constructor(segment: Segment, loss: Loss, first = 0) {
    this.#segment = segment
    this.#loss = loss
    this.#builder.begin(Math.max(segment.next, first))
  }

  /** The block that the last item went into. */
  get block(): number {
    return this.#builder.number
  }

  /** All blocks below this number are in the file. */
  get written(): number {
    for (const number of this.#waiting.keys()) return number
    return this.#builder.number
  }

  /** Where the bytes of the next item go; to be followed by `endItem`. */
  item(): ByteWriter {
    if (this.#builder.full) this.#finishBlock()
    return this.#builder.item()
  }

  /** The item is complete. Returns its slot in `block`. */
  endItem(): number {
    return this.#builder.endItem()
  }

  /** Resolves once everything added before is in the file and on the disk. */
  async settle(): Promise<void> {
    if (this.#builder.items > 0) this.#finishBlock()
    if (this.#builder.number - this.#settled <= MAX_WAITING) this.#endRest()
    this.#settled = this.#builder.number
    await Promise.all([...this.#waiting.values()].map(({ done }) => done))
    if (!this.#synced) {
      this.#synced = true
      await synchronize(this.#segment.fd).catch((error) => this.#unsynced(error))
    }
    this.#complain()
  }

  /** The same at once, without compression: for a caller who never gives way to others. */
  settleNow(): void {
    if (this.#builder.items > 0) this.#finishBlock()
    for (const { builder, raw } of this.#waiting.values()) this.#write(builder, raw, raw, PLAIN)
    this.#waiting.clear()
    if (!this.#synced) {
      this.#synced = true
      try {
        fdatasyncSync(this.#segment.fd)
      } catch (error) {
        this.#unsynced(error)
      }
    }
    this.#complain()
  }

  /** What waits is not wanted any more. */
  abandon(): void {
    this.#waiting.clear()
    this.#synced = true
  }

  #unsynced(error: unknown): void {
    this.#synced = false
    this.#failure = error
  }

  #finishBlock(): void {
    const builder = this.#builder
    const raw = builder.finish()
    if (this.#rest === 0 && this.#waiting.size >= MAX_WAITING) this.#takeRest()
    if (this.#rest > 0) {
      this.#rest--
      this.#write(builder, raw, raw, PLAIN)
      // The same memory again, which is still in the processor's cache.
      builder.begin(builder.number + 1)
      return
    }
    this.#builder = this.#spare.pop() ?? new BlockBuilder()
    this.#builder.begin(builder.number + 1)
    if (++this.#calm === CALM) this.#endRest()
    const waiting: Waiting = { builder, raw, done: this.#last }
    waiting.done = this.#last.then(() => this.#compress(waiting))
    this.#last = waiting.done
    this.#waiting.set(builder.number, waiting)
  }

  #takeRest(): void {
    this.#rest = this.#nextRest
    this.#nextRest = Math.min(this.#nextRest * 2, MAX_REST)
    this.#calm = 0
  }

  #endRest(): void {
    this.#rest = 0
    this.#nextRest = MIN_REST
  }

  async #compress({ builder, raw }: Waiting): Promise<void> {
    if (!this.#waiting.has(builder.number)) return
    const packed = await compress(raw, brotliOptions(raw.length)).catch(() => raw)
    // It may have been written as it is meanwhile; the builder was lent to the compressor until now.
    if (this.#waiting.delete(builder.number)) {
      const smaller = packed.length < raw.length
      this.#write(builder, raw, smaller ? packed : raw, smaller ? BROTLI : PLAIN)
    }
    if (this.#spare.length < MAX_WAITING) this.#spare.push(builder)
  }

  #write({ number, items }: BlockBuilder, raw: Uint8Array, stored: Uint8Array, codec: number): void {
    const header = encodeHeader({
      number,
      items,
      rawLength: raw.length,
      storedLength: stored.length,
      crc: checksum({ codec, items }, stored),
      codec,
    })
    const length = HEADER + stored.length
    try {
      if (writevSync(this.#segment.fd, [header, stored]) !== length)
        throw new Error('The disk is full. Free some space, or lower the size limits.')
      this.#segment.appended(number, length)
      this.#synced = false
    } catch (error) {
      this.#failure = error
      this.#loss.unwritten_payloads = (this.#loss.unwritten_payloads ?? 0) + items
      this.#cutBack()
    }
  }

  /** Cuts off a partial block, so that the next block follows the last whole one. */
  #cutBack(): void {
    try {
      ftruncateSync(this.#segment.fd, this.#segment.end)
    } catch (error) {
      this.#failure = error
    }
  }

  /** What went wrong since the last time, told to who asks for safety: a full disk costs payloads, not the rows. */
  #complain(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure
  }
}
