import { close, read } from 'node:fs'
import { promisify } from 'node:util'
import { PacketKeys } from '@tapdeck/wire'
import { MAX_BLOCK, walkBlocks } from './block-walk.ts'
import { type Drops, dropsOf } from './drops.ts'
import { BLOCK, sectionBlock, statisticsBlock } from './segment-blocks.ts'
import { linkOf, readKeys } from './segment-index/block-keys.ts'
import { readPartIndex } from './segment-index/part-index.ts'
import type { SegmentIndex } from './segment-index/segment-index.ts'
import type { WindowPart } from './window-part.ts'

const readFile = promisify(read)
const closeFile = promisify(close)
const CHUNK = MAX_BLOCK

/** What a window turned out to hold. Complete once the reader is read to its end. */
export interface WindowResult {
  readonly packet_count: number
  readonly size_bytes: number
  readonly dropped_packets: number
  /** The same, by where they were lost; absent where only the sum is known. */
  readonly drops?: Drops
  /** Range that was found, Unix milliseconds; null without packets. */
  readonly start_ts: number | null
  readonly end_ts: number | null
  /** Part of the window lies before what is recorded, or could not be read. */
  readonly partial: boolean
}

export interface WindowOptions {
  /** The parts stay open; the caller closes them. */
  readonly keepOpen?: boolean
  /** The index of a part; by default it is read from disk. With an index, a time window also skips what it can. */
  readonly indexOf?: (part: WindowPart) => SegmentIndex | undefined
}

/**
 * The packets of a time window as one pcapng, a section for each segment it comes from, in chunks of up to 1 MiB.
 * Segments that lie wholly inside are passed on as they are. Without packets it is an empty capture. Closes the parts it was given, also when left early;
 * one that is never read must be given back with `close`.
 */
export class WindowReader implements AsyncIterable<Uint8Array> {
  readonly #parts: readonly WindowPart[]
  readonly #from: number
  readonly #to: number
  #packets = 0
  #bytes = 0
  #drops = 0
  #diskDrops = 0
  #start = Number.POSITIVE_INFINITY
  #end = Number.NEGATIVE_INFINITY
  #partial: boolean
  #readBytes = 0
  #closed = false
  readonly #parties: readonly ReadonlySet<number>[]
  readonly #options: WindowOptions
  readonly #who = new PacketKeys()

  /**
   * The window is `[start, end]` in milliseconds; `oldest` is where the recording begins, null where it is empty. With
   * `parties`, only packets that have a key of each list (see `PacketKeys`) are given, and little else is read.
   */
  constructor(
    parts: readonly WindowPart[],
    start: number,
    end: number,
    oldest: number | null,
    parties: readonly (readonly number[])[] = [],
    options: WindowOptions = {},
  ) {
    this.#parts = parts
    this.#options = options
    this.#parties = parties.filter((keys) => keys.length > 0).map((keys) => new Set(keys))
    this.#from = start * 1000
    this.#to = end * 1000
    this.#partial = oldest === null || start < oldest
  }

  /** Bytes that had to be read so far. */
  get readBytes(): number {
    return this.#readBytes
  }

  get result(): WindowResult {
    const any = this.#packets > 0
    return {
      packet_count: this.#packets,
      size_bytes: this.#bytes,
      dropped_packets: this.#drops,
      drops: dropsOf(this.#drops, this.#diskDrops),
      start_ts: any ? Math.floor(this.#start / 1000) : null,
      end_ts: any ? Math.ceil(this.#end / 1000) : null,
      partial: this.#partial,
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (const part of this.#parts)
        for await (const chunk of this.#read(part)) {
          this.#bytes += chunk.length
          yield chunk
        }
      if (this.#bytes === 0) {
        const empty = sectionBlock()
        this.#bytes = empty.length
        yield empty
      }
    } finally {
      await this.close()
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#options.keepOpen) return
    for (const part of this.#parts) await closeFile(part.fd)
  }

  async *#read(part: WindowPart): AsyncGenerator<Uint8Array> {
    const inside = part.start >= this.#from && part.end <= this.#to
    if (this.#parties.length > 0 || (this.#options.indexOf && !inside)) yield* this.#chosen(part)
    else if (inside) {
      yield* this.#whole(part)
      if (part.open) yield statisticsBlock(part.end, part.packets, part.drops, part.diskDrops)
    } else yield* this.#matching(part)
  }

  async *#whole(part: WindowPart): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < part.bytes; ) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK, part.bytes - at))
      const { bytesRead } = await readFile(part.fd, buffer, 0, buffer.length, at)
      if (bytesRead === 0) {
        this.#partial = true
        return
      }
      at += bytesRead
      this.#readBytes += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
    this.#packets += part.packets
    this.#drops += part.drops
    this.#diskDrops += part.diskDrops
    this.#start = Math.min(this.#start, part.start)
    this.#end = Math.max(this.#end, part.end)
  }

  /** Only the regions where the wanted parties can be, where the segment has an index. */
  #chosen(part: WindowPart): AsyncGenerator<Uint8Array> {
    const { indexOf } = this.#options
    const index = indexOf ? indexOf(part) : readPartIndex(part)
    const anyOf = this.#parties.map((keys) => [...keys])
    return this.#matching(part, index?.select({ from: this.#from, to: this.#to, anyOf }))
  }

  /** Moves the blocks that belong to the window together in each buffer and passes those on. */
  async *#matching(
    part: WindowPart,
    ranges: readonly Range[] = [{ at: 0, end: part.bytes }],
  ): AsyncGenerator<Uint8Array> {
    if (ranges.length === 0) return
    const before = { packets: this.#packets, drops: this.#drops, disk: this.#diskDrops }
    const section: Section = { links: [], counted: 0, countedDisk: 0 }
    for (const { at: from, end } of ranges)
      for (let at = from; at < end; ) {
        const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK, end - at))
        const { bytesRead } = await readFile(part.fd, buffer, 0, buffer.length, at)
        this.#readBytes += bytesRead
        const { kept, walked } = this.#filterChunk(buffer, bytesRead, section)
        if (kept > 0) yield buffer.subarray(0, kept)
        if (walked.damaged || walked.at === 0) {
          this.#partial = true
          break
        }
        at += walked.at
      }
    const [packets, drops] = [this.#packets - before.packets, this.#drops - before.drops]
    yield statisticsBlock(part.end, packets, drops, this.#diskDrops - before.disk)
  }

  #filterChunk(buffer: Uint8Array, length: number, section: Section) {
    let kept = 0
    const keep = (from: number, to: number) => {
      if (kept !== from) buffer.copyWithin(kept, from, to)
      kept += to - from
    }
    const walked = walkBlocks(buffer, 0, length, {
      packet: (from, to, time) => {
        if (time < this.#from || time > this.#to || !this.#isWanted(buffer, from, section)) return
        this.#packets++
        if (time < this.#start) this.#start = time
        if (time > this.#end) this.#end = time
        keep(from, to)
      },
      statistics: (_from, _to, time, _received, dropped, disk) => {
        if (time >= this.#from && time <= this.#to) {
          this.#drops += dropped - section.counted
          this.#diskDrops += disk - section.countedDisk
        }
        section.counted = dropped
        section.countedDisk = disk
      },
      other: (from, to, type) => {
        if (type === BLOCK.section) {
          section.links.length = 0
          section.counted = 0
          section.countedDisk = 0
        } else if (type === BLOCK.interface) section.links.push(linkOf(buffer, from))
        keep(from, to)
      },
    })
    return { kept, walked }
  }

  #isWanted(buffer: Uint8Array, block: number, { links }: Section): boolean {
    if (this.#parties.length === 0) return true
    const who = this.#who
    readKeys(who, buffer, block, buffer.length, links)
    return this.#parties.every((keys) => {
      for (let i = 0; i < who.count; i++) if (keys.has(who.keys[i]!)) return true
      return false
    })
  }
}

/** What is known of a section while it is read: link types by interface, and packets dropped so far, at the disk too. */
interface Section {
  readonly links: number[]
  counted: number
  countedDisk: number
}

interface Range {
  readonly at: number
  readonly end: number
}
