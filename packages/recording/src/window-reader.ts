import { close, read } from 'node:fs'
import { promisify } from 'node:util'
import { MAX_BLOCK, walkBlocks } from './block-walk.ts'
import { sectionBlock, statisticsBlock } from './segment-blocks.ts'
import type { WindowPart } from './window-part.ts'

const readFile = promisify(read)
const closeFile = promisify(close)
const CHUNK = MAX_BLOCK

/** What a window turned out to hold. Complete once the reader is read to its end. */
export interface WindowResult {
  readonly packet_count: number
  readonly size_bytes: number
  readonly dropped_packets: number
  /** Range that was found, Unix milliseconds; null without packets. */
  readonly start_ts: number | null
  readonly end_ts: number | null
  /** Part of the window lies before what is recorded, or could not be read. */
  readonly partial: boolean
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
  #start = Number.POSITIVE_INFINITY
  #end = Number.NEGATIVE_INFINITY
  #partial: boolean
  #closed = false

  /** The window is `[start, end]` in milliseconds; `oldest` is where the recording begins, null where it is empty. */
  constructor(parts: readonly WindowPart[], start: number, end: number, oldest: number | null) {
    this.#parts = parts
    this.#from = start * 1000
    this.#to = end * 1000
    this.#partial = oldest === null || start < oldest
  }

  get result(): WindowResult {
    const any = this.#packets > 0
    return {
      packet_count: this.#packets,
      size_bytes: this.#bytes,
      dropped_packets: this.#drops,
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
    for (const part of this.#parts) await closeFile(part.fd)
  }

  async *#read(part: WindowPart): AsyncGenerator<Uint8Array> {
    if (part.start >= this.#from && part.end <= this.#to) {
      yield* this.#whole(part)
      if (part.open) yield statisticsBlock(part.end, part.packets, part.drops)
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
      yield buffer.subarray(0, bytesRead)
    }
    this.#packets += part.packets
    this.#drops += part.drops
    this.#start = Math.min(this.#start, part.start)
    this.#end = Math.max(this.#end, part.end)
  }

  /** Moves the blocks that belong to the window together in each buffer and passes those on. */
  async *#matching(part: WindowPart): AsyncGenerator<Uint8Array> {
    const before = { packets: this.#packets, drops: this.#drops }
    let counted = 0
    for (let at = 0; at < part.bytes; ) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK, part.bytes - at))
      const { bytesRead } = await readFile(part.fd, buffer, 0, buffer.length, at)
      let kept = 0
      const keep = (from: number, to: number) => {
        if (kept !== from) buffer.copyWithin(kept, from, to)
        kept += to - from
      }
      const walked = walkBlocks(buffer, 0, bytesRead, {
        packet: (from, to, time) => {
          if (time < this.#from || time > this.#to) return
          this.#packets++
          if (time < this.#start) this.#start = time
          if (time > this.#end) this.#end = time
          keep(from, to)
        },
        statistics: (_from, _to, time, _received, dropped) => {
          if (time >= this.#from && time <= this.#to) this.#drops += dropped - counted
          counted = dropped
        },
        other: keep,
      })
      if (kept > 0) yield buffer.subarray(0, kept)
      if (walked.damaged || walked.at === 0) {
        this.#partial = true
        break
      }
      at += walked.at
    }
    yield statisticsBlock(part.end, this.#packets - before.packets, this.#drops - before.drops)
  }
}
