import { closeSync, ftruncateSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { BlockInfo, Segment } from './segment.ts'
import { STATISTICS_BYTES, statisticsBlock } from './segment-blocks.ts'
import { closedName, openName } from './segment-name.ts'

/** The segment that is being written. It always ends with a whole block: a write that fails is undone. */
export class OpenSegment implements Segment {
  readonly sequence: number
  readonly path: string
  start = 0
  end = 0
  bytes = 0
  packets = 0
  drops = 0
  readonly indexBytes = 0
  readonly #folder: string
  readonly #fd: number

  /** Throws what the file system throws, leaving nothing behind. */
  constructor(folder: string, sequence: number, preamble: Uint8Array) {
    this.sequence = sequence
    this.path = join(folder, openName(sequence))
    this.#folder = folder
    this.#fd = openSync(this.path, 'w', 0o640)
    try {
      this.write(preamble, preamble.length)
    } catch (error) {
      this.discard()
      throw error
    }
  }

  /** How many bytes a block will take, with what may have to be said after it. */
  static cost(length: number, info: BlockInfo): number {
    return length + (info.drops > 0 ? STATISTICS_BYTES : 0)
  }

  append(block: Uint8Array, length: number, info: BlockInfo): void {
    const before = this.bytes
    this.write(block, length)
    if (info.drops > 0) {
      try {
        const told = statisticsBlock(info.last, this.packets + info.packets, this.drops + info.drops)
        this.write(told, told.length)
      } catch (error) {
        this.#undo(before)
        throw error
      }
    }
    if (info.packets > 0) {
      this.start = this.packets === 0 ? info.first : Math.min(this.start, info.first)
      this.end = Math.max(this.end, info.last)
    }
    this.packets += info.packets
    this.drops += info.drops
  }

  write(bytes: Uint8Array, length: number): void {
    let at = 0
    try {
      while (at < length) at += writeSync(this.#fd, bytes, at, length - at, this.bytes + at)
    } catch (error) {
      this.#undo(this.bytes)
      throw error
    }
    this.bytes += length
  }

  /** Ends the file with its counts and gives it its name. Needs `STATISTICS_BYTES` of room. */
  close(): Segment {
    try {
      const told = statisticsBlock(this.end, this.packets, this.drops)
      this.write(told, told.length)
    } catch {
      // A full disk: the counts are found again by reading the segment.
    }
    closeSync(this.#fd)
    const path = join(this.#folder, closedName(this.sequence, this.start, this.end))
    renameSync(this.path, path)
    const { sequence, start, end, bytes, packets, drops, indexBytes } = this
    return { sequence, path, start, end, bytes, packets, drops, indexBytes }
  }

  /** Gives the file up. */
  discard(): void {
    closeSync(this.#fd)
    try {
      unlinkSync(this.path)
    } catch {
      // Gone already, or on a disk that lets nothing be removed: reopening the ring finds it.
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
