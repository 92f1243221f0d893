import { closeSync, mkdirSync } from 'node:fs'
import type { Boundaries } from './boundaries.ts'
import { ClosedSegments } from './closed-segments.ts'
import { dropsOf } from './drops.ts'
import { OpenSegment } from './open-segment.ts'
import { isDiskFull } from './out-of-space.ts'
import { bytesOf, infoOf, PAGE_BYTES, type Pages } from './pages.ts'
import { Preamble } from './preamble.ts'
import { recoverSegments } from './recover-segments.ts'
import type { BlockInfo, Segment } from './segment.ts'
import { type RecordedInterface, STATISTICS_BYTES } from './segment-blocks.ts'
import type { EndsWalk } from './segment-index/ends-walk.ts'
import { IndexMaintenance } from './segment-index/index-maintenance.ts'
import { openPart, type WindowPart } from './window-part.ts'
import { WindowReader } from './window-reader.ts'

const MIB = 1 << 20
const MAX_SEGMENT = 64 * MIB
const MAX_SEGMENT_AGE = 60_000_000
const RETRY_MS = 1000
/** Pages that are worth appending together. */
const MAX_PAGES = 8 * MIB
/** A direct write that takes longer is late: a crash must not cost what waits for it. */
const LATE_MS = 100
/** After the disk was late, or did not take a direct write, the page cache takes what comes for so long. */
const AFTER_LATE_MS = 10_000
const AFTER_REFUSED_MS = 60_000

/** A direct write under way. */
interface Writing {
  readonly segment: OpenSegment
  readonly length: number
  readonly since: number
  /** Called when it has ended. */
  readonly waiting: (() => void)[]
}

export interface RingOptions {
  /** The files of the ring never take more. */
  readonly maxBytes: number
  /** Written into every segment. */
  readonly node: string
  readonly application: string
  /** Told after each block: how many bytes the segment that bears this name now has. */
  readonly wrote?: (path: string, bytes: number) => void
  /** Called after a segment was deleted to make space, with the path that `wrote` got. A file that is still open keeps its space. */
  readonly deleted?: (path: string) => void
  /** Of the memory that blocks come from: their index costs less with it. */
  readonly walk?: EndsWalk
}

/** Whether packets get to disk; where not, why and since when (Unix milliseconds). */
export type RingState =
  | { readonly recording: true }
  | { readonly recording: false; readonly reason: string; readonly since: number }

/**
 * The recording of one node: bounded segments in a folder, the oldest deleted to make room for the newest. All
 * writing is synchronous and never throws for what a disk can do: a block that cannot be stored is counted in
 * `lost`, the state says why, and the ring tries again. One ring per folder at a time.
 */
export class Ring {
  /** Packets that could not be stored. */
  lost = 0
  readonly folder: string
  readonly preamble: Preamble
  /** All packets up to here (Unix milliseconds) were stored by those who wrote before; 0 where there are none. */
  readonly recoveredUntil: number
  readonly #maxBytes: number
  readonly #wrote: RingOptions['wrote']
  readonly #walk: EndsWalk | undefined
  readonly #segmentBytes: number
  readonly #closed: ClosedSegments
  #open: OpenSegment | undefined
  #writing: Writing | undefined
  /** Where direct writes may begin again, by the clock. */
  #directFrom = 0
  #sequence: number
  /** Lost packets that no segment has recorded yet, and those of them that the disk lost. */
  #untold = 0
  #untoldDisk = 0
  #state: RingState = { recording: true }
  #retryAt = 0
  readonly #maintenance: IndexMaintenance

  private constructor(folder: string, options: RingOptions) {
    this.folder = folder
    this.#maxBytes = options.maxBytes
    this.#wrote = options.wrote
    this.#walk = options.walk
    this.#segmentBytes = Math.min(
      MAX_SEGMENT,
      Math.max(options.maxBytes / 16, Math.min(MIB, options.maxBytes / 4)),
    )
    this.preamble = new Preamble(options.node, options.application)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { segments, until } = recoverSegments(folder)
    this.recoveredUntil = until / 1000
    this.#closed = new ClosedSegments(segments, options.deleted)
    this.#sequence = (this.#closed.all.at(-1)?.sequence ?? 0) + 1
    this.#maintenance = new IndexMaintenance({
      closed: this.#closed.all,
      // No index is worth the only segment that there is.
      freeSpace: (bytes) => (this.#closed.all.length > 1 ? this.#freeSpace(bytes) : this.#hasRoom(bytes)),
      indexed: (segment, bytes) => this.#closed.indexed(segment, bytes),
    })
    this.#freeSpace(0)
  }

  /** Opens or makes the ring in `folder`; a segment that was open at a crash is cut after its last whole packet. */
  static open(folder: string, options: RingOptions): Ring {
    return new Ring(folder, options)
  }

  get state(): RingState {
    return this.#state
  }

  /** Largest block that is worth appending at once. */
  get blockBytes(): number {
    return Math.min(MIB, Math.floor(this.#segmentBytes / 2))
  }

  /** Most pages that are worth appending at once. */
  get pagesBytes(): number {
    return Math.min(MAX_PAGES, this.#segmentBytes / 2)
  }

  /** A direct write is under way. What is stored meanwhile goes to another segment. */
  get isWriting(): boolean {
    return this.#writing !== undefined
  }

  /** It has been under way for too long. */
  get isLate(): boolean {
    return this.#writing !== undefined && performance.now() - this.#writing.since > LATE_MS
  }

  /** Packets up to here (Unix milliseconds) were deleted since it was opened, to make space for newer ones. */
  get deletedUntil(): number {
    return this.#closed.deletedUntil / 1000
  }

  /** Describes one more interface and returns the number that its packets bear from now on. */
  addInterface(description: RecordedInterface): number {
    const number = this.preamble.count
    const block = this.preamble.add(description)
    const before = this.#open
    if (!before) return number
    // Making room may have begun another segment, which describes the interface already.
    const write = (open: OpenSegment) => open === before && open.write(block)
    // Packets of an interface that its segment does not describe could not be read: rather begin another one.
    if (!this.#attempt(block.length, write)) this.#rotate()
    return number
  }

  /** Forgets all interfaces and counts them from 0 again, in a segment of its own. */
  resetInterfaces(): void {
    this.#rotate()
    this.preamble.reset()
  }

  /** Stores `length` bytes of enhanced packet blocks; they may come in pieces of whole blocks. False where it could not. */
  append(blocks: Uint8Array | readonly Uint8Array[], length: number, info: BlockInfo): boolean {
    const pieces = blocks instanceof Uint8Array ? [blocks.subarray(0, length)] : blocks
    if (this.#mustRotate(length, info.first)) this.#rotate()
    const all = this.#untold === 0 ? info : { ...info, drops: info.drops + this.#untold }
    const write = (open: OpenSegment) => open.append(pieces, length, all, this.#untoldDisk)
    if (this.#attempt(OpenSegment.cost(length, all.drops), write)) {
      this.#untold = 0
      this.#untoldDisk = 0
      if (this.#open) this.#wrote?.(this.#open.path, this.#open.bytes)
      return true
    }
    this.#lose(info)
    return false
  }

  /**
   * Stores whole pages; `direct` asks for a write around the page cache, in the background. True where it is under way: the pages
   * belong to it until `done` is called. False: it is over already.
   */
  appendPages(pages: readonly Pages[], drops: number, direct: boolean, done: () => void): boolean {
    const length = bytesOf(pages)
    const info = infoOf(pages, drops)
    if (this.#mustRotate(length + 2 * PAGE_BYTES, info.first)) this.#rotate()
    const all = this.#untold === 0 ? info : { ...info, drops: drops + this.#untold }
    const disk = this.#untoldDisk
    let begun = direct && this.#writing === undefined && performance.now() >= this.#directFrom
    const write = (open: OpenSegment) => {
      if (begun) {
        try {
          open.beginPages(pages, length, all, disk, (error) =>
            this.#wroteDirect(error, pages, all.drops, disk),
          )
          this.#writing = { segment: open, length, since: performance.now(), waiting: [done] }
          return
        } catch (error) {
          if (isDiskFull(error)) throw error
          this.#refuse(error)
          begun = false
        }
      }
      open.appendPages(pages, length, all, disk)
    }
    if (this.#attempt(length + 2 * PAGE_BYTES, write)) {
      this.#untold = 0
      this.#untoldDisk = 0
      if (!begun && this.#open) this.#wrote?.(this.#open.path, this.#open.bytes)
      return begun
    }
    this.#lose(info)
    return false
  }

  /** For when a direct write is late: what comes meanwhile goes to another segment, through the page cache. */
  leave(): void {
    if (this.#writing === undefined) return
    this.#directFrom = Math.max(this.#directFrom, performance.now() + AFTER_LATE_MS)
    if (this.#open === this.#writing.segment) this.#rotate()
  }

  /** Resolves when no direct write is under way, or after so many: there may always be another. */
  async settled(writes = Number.POSITIVE_INFINITY): Promise<void> {
    for (let i = 0; i < writes && this.#writing; i++)
      await new Promise<void>((resolve) => this.#writing?.waiting.push(resolve))
  }

  boundaries(): Boundaries {
    const unclosed = this.#unclosed()
    const ends = unclosed.filter(({ packets }) => packets > 0)
    ends.push(...this.#closed.all.slice(0, 1), ...this.#closed.all.slice(-1))
    const oldest = ends.length > 0 ? Math.min(...ends.map(({ start }) => start)) : undefined
    const newest = ends.length > 0 ? Math.max(...ends.map(({ end }) => end)) : undefined
    const sum = (of: (segment: Segment) => number) => unclosed.reduce((all, one) => all + of(one), 0)
    const dropped = this.#closed.drops + sum(({ drops }) => drops) + this.#untold
    const disk = this.#closed.diskDrops + sum(({ diskDrops }) => diskDrops) + this.#untoldDisk
    return {
      oldest_ts: oldest === undefined ? null : Math.floor(oldest / 1000),
      newest_ts: newest === undefined ? null : Math.ceil(newest / 1000),
      size_bytes: this.#bytes(),
      packet_count: this.#closed.packets + sum(({ packets }) => packets),
      dropped_packets: dropped,
      drops: dropsOf(dropped, disk),
    }
  }

  /**
   * The segments that hold packets of `[start, end]` (milliseconds), opened: they can be read to their end even if
   * the ring deletes them meanwhile. The caller closes the file descriptors.
   */
  hold(start: number, end: number): WindowPart[] {
    const parts: WindowPart[] = []
    const unclosed = this.#unclosed()
    const segments = [...this.#closed.all, ...unclosed.filter(({ packets }) => packets > 0)]
    try {
      for (const segment of segments) {
        if (segment.end < start * 1000 || segment.start > end * 1000) continue
        const part = openPart(segment, unclosed.includes(segment))
        if (part) parts.push(part)
      }
    } catch (error) {
      for (const part of parts) closeSync(part.fd)
      throw error
    }
    return parts
  }

  /** The packets of `[start, end]` (milliseconds) as one capture, as far as they are recorded now. */
  window(start: number, end: number, parties?: readonly (readonly number[])[]): WindowReader {
    return new WindowReader(this.hold(start, end), start, end, this.boundaries().oldest_ts, parties)
  }

  /**
   * Does a little of what can wait: the index of a segment that was closed. For a moment without packets; true where
   * there is more to do. Where it never comes to this, readers walk the segment instead.
   */
  maintain(): boolean {
    return this.#maintenance.step()
  }

  close(): void {
    this.#maintenance.close()
    this.#rotate()
  }

  /** Runs a write with room made for it; false, with the state set, where the disk does not take it. */
  #attempt(bytes: number, write: (open: OpenSegment) => unknown): boolean {
    if (!this.#state.recording && Date.now() < this.#retryAt) return false
    // Nothing may come behind a write that has not ended.
    if (this.#open === this.#writing?.segment) this.#rotate()
    for (;;) {
      try {
        if (!this.#open) mkdirSync(this.folder, { recursive: true, mode: 0o700 })
        if (!this.#freeSpace(bytes))
          return this.#stop(`a block of ${bytes} bytes does not fit a recording of ${this.#maxBytes}`)
        this.#open ??= new OpenSegment(this.folder, this.#sequence++, this.preamble.bytes, this.#walk)
        write(this.#open)
        this.#state = { recording: true }
        return true
      } catch (error) {
        if (isDiskFull(error) && this.#closed.deleteOldest()) continue
        if (!isDiskFull(error)) this.#rotate()
        return this.#stop((error as Error).message)
      }
    }
  }

  #stop(reason: string): false {
    const now = Date.now()
    this.#retryAt = now + RETRY_MS
    this.#state = { recording: false, reason, since: this.#state.recording ? now : this.#state.since }
    return false
  }

  #mustRotate(length: number, first: number): boolean {
    const open = this.#open
    if (!open || open.packets === 0) return false
    return open.bytes + length + STATISTICS_BYTES > this.#segmentBytes || first - open.start > MAX_SEGMENT_AGE
  }

  /** Closes the open segment, or lets the write end that is under way there, which closes it then. */
  #rotate(): void {
    const open = this.#open
    this.#open = undefined
    if (open && open !== this.#writing?.segment) this.#close(open)
  }

  /** The end of a direct write. What the disk did not take goes the other way. */
  #wroteDirect(error: Error | undefined, pages: readonly Pages[], drops: number, disk: number): void {
    const { segment, waiting } = this.#writing!
    this.#writing = undefined
    if (segment !== this.#open) this.#close(segment)
    if (error) {
      this.#refuse(error)
      this.#untoldDisk += disk
      this.appendPages(pages, drops, false, () => {})
    }
    for (const call of waiting) call()
  }

  /** Some file systems know no direct writes. */
  #refuse(error: unknown): void {
    const never = (error as NodeJS.ErrnoException).code === 'EINVAL'
    this.#directFrom = never ? Number.POSITIVE_INFINITY : performance.now() + AFTER_REFUSED_MS
  }

  #lose({ packets, drops }: BlockInfo): void {
    this.lost += packets
    this.#untold += packets + drops
    this.#untoldDisk += packets
  }

  /** The segment where a late write is still under way, and the open one. */
  #unclosed(): readonly Segment[] {
    const left = this.#writing?.segment
    const all = left === this.#open ? [left] : [left, this.#open]
    return all.filter((segment) => segment !== undefined)
  }

  #close(open: OpenSegment): void {
    if (open.packets === 0) {
      open.discard()
      return
    }
    try {
      const segment = open.close()
      this.#closed.add(segment)
      this.#maintenance.keep(segment, open.index)
    } catch {
      // The file was taken away under us; its packets are gone with it.
      this.lost += open.packets
      this.#untold += open.packets + open.drops
      this.#untoldDisk += open.packets + open.diskDrops
    }
  }

  /** Deletes what must go for `bytes` more, with what a segment needs to begin and to end. */
  #freeSpace(bytes: number): boolean {
    // What can never fit must not cost what is there.
    if (bytes + STATISTICS_BYTES + this.preamble.bytes.length > this.#maxBytes) return false
    for (;;) {
      if (this.#hasRoom(bytes)) return true
      if (this.#closed.all.length === 0) this.#rotate()
      if (!this.#closed.deleteOldest()) return false
    }
  }

  #hasRoom(bytes: number): boolean {
    const needed = bytes + STATISTICS_BYTES + (this.#open ? 0 : this.preamble.bytes.length)
    return this.#bytes() + needed <= this.#maxBytes
  }

  #bytes(): number {
    const { segment, length = 0 } = this.#writing ?? {}
    const left = segment !== this.#open ? (segment?.bytes ?? 0) : 0
    return this.#closed.bytes + (this.#open?.bytes ?? 0) + left + length
  }
}
