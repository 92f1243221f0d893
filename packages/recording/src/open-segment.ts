import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
  writev,
  writevSync,
} from 'node:fs'
import { join } from 'node:path'
import { PAGE_BYTES, type Pages } from './pages.ts'
import type { BlockInfo, Segment } from './segment.ts'
import { STATISTICS_BYTES, statisticsBlock } from './segment-blocks.ts'
import type { EndsWalk } from './segment-index/ends-walk.ts'
import { IndexBuilder } from './segment-index/index-builder.ts'
import { closedName, openName } from './segment-name.ts'

/** Written at once, and up to multiples of it: enough to hide what a system call costs, and no more, see docs/decisions/recording-writes.md. */
const WRITE_BYTES = 128 * 1024

/** The segment that is being written. It always ends with a whole block: a write that fails is undone. */
export class OpenSegment implements Segment {
  readonly sequence: number
  readonly path: string
  start = 0
  end = 0
  bytes = 0
  packets = 0
  drops = 0
  diskDrops = 0
  readonly indexBytes = 0
  /** Built while the packets are in memory, so that they are not read again. */
  readonly index: IndexBuilder
  readonly #folder: string
  readonly #fd: number
  #directFd = -1

  /** Throws what the file system throws, leaving nothing behind. */
  constructor(folder: string, sequence: number, preamble: Uint8Array, walk?: EndsWalk) {
    this.index = new IndexBuilder(undefined, walk)
    this.sequence = sequence
    this.path = join(folder, openName(sequence))
    this.#folder = folder
    this.#fd = openSync(this.path, 'w', 0o600)
    try {
      this.write(preamble)
    } catch (error) {
      this.discard()
      throw error
    }
  }

  /** How many bytes a block will take, with what may have to be said after it. */
  static cost(length: number, drops: number): number {
    return length + (drops > 0 ? STATISTICS_BYTES : 0)
  }

  /** Each piece is whole packet blocks. `disk` of the drops were lost because blocks before could not be stored. */
  append(pieces: readonly Uint8Array[], length: number, info: BlockInfo, disk: number): void {
    const before = this.bytes
    const drops = this.drops + info.drops
    const diskDrops = this.diskDrops + disk
    this.#put(pieces, length)
    try {
      for (const piece of pieces) this.index.pushPackets(piece)
      if (info.drops > 0)
        this.write(statisticsBlock(info.last, this.packets + info.packets, drops, diskDrops))
    } catch (error) {
      this.#undo(before)
      throw error
    }
    this.#count(info, disk)
  }

  /** Whole pages, through the page cache. */
  appendPages(pages: readonly Pages[], length: number, info: BlockInfo, disk: number): void {
    this.#fillFronts(pages, info, disk)
    this.#put(
      pages.map(({ bytes }) => bytes),
      length,
    )
    this.#indexPages(pages)
    this.#count(info, disk)
  }

  /**
   * Writes whole pages in another thread, without the page cache; `done` gets the error, if any. Until then nothing else
   * may be written. Throws where the file system knows no such writes.
   */
  beginPages(
    pages: readonly Pages[],
    length: number,
    info: BlockInfo,
    disk: number,
    done: (error: Error | undefined) => void,
  ): void {
    if (this.#directFd < 0) this.#directFd = openSync(this.path, constants.O_WRONLY | constants.O_DIRECT)
    this.#align(info.first)
    this.#fillFronts(pages, info, disk)
    const buffers = pages.map(({ bytes }) => bytes)
    writev(this.#directFd, buffers, this.bytes, (error, written) => {
      const failure = error ?? (written === length ? undefined : new Error('the disk took only a part'))
      if (failure) this.#undo(this.bytes)
      else {
        this.bytes += length
        this.#count(info, disk)
      }
      done(failure)
    })
    // While the processor still has them at hand. After a failure the index knows more than the segment has, and is not kept.
    this.#indexPages(pages)
  }

  /** Whole blocks other than packets. */
  write(bytes: Uint8Array): void {
    this.#put([bytes], bytes.length)
    this.index.push(bytes, bytes.length)
  }

  /** Ends the file with its counts and gives it its name. Needs `STATISTICS_BYTES` of room. */
  close(): Segment {
    try {
      this.write(statisticsBlock(this.end, this.packets, this.drops, this.diskDrops))
    } catch {
      // A full disk: the counts are found again by reading the segment.
    }
    this.#closeFiles()
    const path = join(this.#folder, closedName(this.sequence, this.start, this.end))
    renameSync(this.path, path)
    const { sequence, start, end, bytes, packets, drops, diskDrops, indexBytes } = this
    return { sequence, path, start, end, bytes, packets, drops, diskDrops, indexBytes }
  }

  /** Gives the file up. */
  discard(): void {
    this.#closeFiles()
    try {
      unlinkSync(this.path)
    } catch {
      // Gone already, or on a disk that lets nothing be removed: reopening the ring finds it.
    }
  }

  #closeFiles(): void {
    closeSync(this.#fd)
    if (this.#directFd >= 0) closeSync(this.#directFd)
  }

  #count({ packets, first, last, drops }: BlockInfo, disk: number): void {
    if (packets > 0) {
      this.start = this.packets === 0 ? first : Math.min(this.start, first)
      this.end = Math.max(this.end, last)
    }
    this.packets += packets
    this.drops += drops
    this.diskDrops += disk
  }

  /** Up to the next page, by counts that are as long as that takes. */
  #align(time: number): void {
    let room = -this.bytes & (PAGE_BYTES - 1)
    if (room === 0) return
    if (room < STATISTICS_BYTES) room += PAGE_BYTES
    this.write(statisticsBlock(time, this.packets, this.drops, this.diskDrops, room))
  }

  /** The counts up to each page precede it, with all losses before the first. */
  #fillFronts(pages: readonly Pages[], { drops }: BlockInfo, disk: number): void {
    let { packets } = this
    for (const { bytes, front, first, packets: more } of pages) {
      bytes.set(statisticsBlock(first, packets, this.drops + drops, this.diskDrops + disk, front))
      packets += more
    }
  }

  #indexPages(pages: readonly Pages[]): void {
    for (const { bytes, front } of pages) {
      this.index.push(bytes, front)
      this.index.pushPackets(bytes.subarray(front))
    }
  }

  /** In writes that end at multiples of what is written at once. */
  #put(pieces: readonly Uint8Array[], length: number): void {
    try {
      let group: Uint8Array[] = []
      let at = this.bytes
      let end = at
      for (const piece of pieces)
        for (let from = 0; from < piece.length; ) {
          const to = Math.min(piece.length, from + WRITE_BYTES - (end % WRITE_BYTES))
          group.push(piece.subarray(from, to))
          end += to - from
          from = to
          if (end % WRITE_BYTES !== 0) continue
          this.#putGroup(group, at)
          group = []
          at = end
        }
      if (group.length > 0) this.#putGroup(group, at)
    } catch (error) {
      this.#undo(this.bytes)
      throw error
    }
    this.bytes += length
  }

  #putGroup(group: readonly Uint8Array[], at: number): void {
    let written = writevSync(this.#fd, group, at)
    // Of a disk that is filling up the kernel takes a part.
    let start = 0
    for (const piece of group) {
      while (written < start + piece.length)
        written += writeSync(this.#fd, piece, written - start, start + piece.length - written, at + written)
      start += piece.length
    }
  }

  #undo(bytes: number): void {
    this.bytes = bytes
    try {
      ftruncateSync(this.#fd, bytes)
    } catch {
      // The next write begins at `bytes` and covers what is left over; a crash before it is a torn tail like any.
    }
  }
}
