import { closeSync, mkdirSync, openSync, rmSync, unlinkSync } from 'node:fs'
import type { Boundaries } from './boundaries.ts'
import { dropsOf } from './drops.ts'
import { OpenSegment } from './open-segment.ts'
import { Preamble } from './preamble.ts'
import { recoverSegments } from './recover-segments.ts'
import type { BlockInfo, Segment } from './segment.ts'
import { type RecordedInterface, STATISTICS_BYTES } from './segment-blocks.ts'
import { indexPath } from './segment-index/index-file.ts'
import { IndexUpkeep } from './segment-index/index-upkeep.ts'
import type { WindowPart } from './window-part.ts'
import { WindowReader } from './window-reader.ts'

const MIB = 1 << 20
const MAX_SEGMENT = 64 * MIB
const MAX_SEGMENT_AGE = 60_000_000
const RETRY_MS = 1000

export interface RingOptions {
  /** The files of the ring never take more. */
  readonly maxBytes: number
  /** Written into every segment. */
  readonly node: string
  readonly application: string
  /** Told after each block: how many bytes the segment that bears this name now has. */
  readonly wrote?: (path: string, bytes: number) => void
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
  readonly #maxBytes: number
  readonly #wrote: RingOptions['wrote']
  readonly #segmentBytes: number
  readonly #closed: Segment[]
  #open: OpenSegment | undefined
  #sequence: number
  #closedBytes = 0
  #closedPackets = 0
  #closedDrops = 0
  #closedDiskDrops = 0
  /** Packets lost that no segment tells of yet, and those of them that the disk did not take. */
  #untold = 0
  #untoldDisk = 0
  #state: RingState = { recording: true }
  #retryAt = 0
  readonly #upkeep: IndexUpkeep

  private constructor(folder: string, options: RingOptions) {
    this.folder = folder
    this.#maxBytes = options.maxBytes
    this.#wrote = options.wrote
    this.#segmentBytes = Math.min(
      MAX_SEGMENT,
      Math.max(options.maxBytes / 16, Math.min(MIB, options.maxBytes / 4)),
    )
    this.preamble = new Preamble(options.node, options.application)
    mkdirSync(folder, { recursive: true })
    this.#closed = recoverSegments(folder)
    this.#sequence = (this.#closed.at(-1)?.sequence ?? 0) + 1
    for (const segment of this.#closed) this.#count(segment, 1)
    this.#upkeep = new IndexUpkeep({
      closed: this.#closed,
      // No index is worth the only segment that there is.
      makeRoom: (bytes) => (this.#closed.length > 1 ? this.#makeRoom(bytes) : this.#hasRoom(bytes)),
      indexed: (segment, bytes) => this.#indexed(segment, bytes),
    })
    this.#makeRoom(0)
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
    this.lost += info.packets
    this.#untold += info.packets + info.drops
    this.#untoldDisk += info.packets
    return false
  }

  boundaries(): Boundaries {
    const open = this.#open
    const oldest = this.#closed.length > 0 ? this.#closed[0].start : open?.packets ? open.start : undefined
    const newest = open?.packets
      ? Math.max(open.end, this.#closed.at(-1)?.end ?? 0)
      : this.#closed.at(-1)?.end
    const dropped = this.#closedDrops + (open?.drops ?? 0) + this.#untold
    const disk = this.#closedDiskDrops + (open?.diskDrops ?? 0) + this.#untoldDisk
    return {
      oldest_ts: oldest === undefined ? null : Math.floor(oldest / 1000),
      newest_ts: newest === undefined ? null : Math.ceil(newest / 1000),
      size_bytes: this.#bytes(),
      packet_count: this.#closedPackets + (open?.packets ?? 0),
      dropped_packets: dropped,
      drops: dropsOf(dropped, disk),
    }
  }

  /**
   * The segments that hold packets of `[start, end]` (milliseconds), opened: they can be read to their end even if
   * the ring deletes them meanwhile. Whoever takes them closes the file descriptors.
   */
  hold(start: number, end: number): WindowPart[] {
    const parts: WindowPart[] = []
    const segments = this.#open?.packets ? [...this.#closed, this.#open] : this.#closed
    try {
      for (const segment of segments) {
        if (segment.end < start * 1000 || segment.start > end * 1000) continue
        const { start: first, end: last, bytes, packets, drops, diskDrops } = segment
        const fd = openIfThere(segment.path)
        if (fd === undefined) continue
        const { path } = segment
        const range = { start: first, end: last }
        parts.push({ fd, path, ...range, bytes, packets, drops, diskDrops, open: segment === this.#open })
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
  tend(): boolean {
    return this.#upkeep.step()
  }

  close(): void {
    this.#upkeep.close()
    this.#rotate()
  }

  /** Runs a write with room made for it; false, with the state set, where the disk does not take it. */
  #attempt(bytes: number, write: (open: OpenSegment) => unknown): boolean {
    if (!this.#state.recording && Date.now() < this.#retryAt) return false
    for (;;) {
      try {
        if (!this.#open) mkdirSync(this.folder, { recursive: true })
        if (!this.#makeRoom(bytes))
          return this.#stop(`a block of ${bytes} bytes does not fit a recording of ${this.#maxBytes}`)
        this.#open ??= new OpenSegment(this.folder, this.#sequence++, this.preamble.bytes)
        write(this.#open)
        this.#state = { recording: true }
        return true
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code
        if ((code === 'ENOSPC' || code === 'EDQUOT') && this.#closed.length > 0 && this.#deleteOldest())
          continue
        if (code !== 'ENOSPC' && code !== 'EDQUOT') this.#rotate()
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

  #rotate(): void {
    const open = this.#open
    if (!open) return
    this.#open = undefined
    if (open.packets === 0) {
      open.discard()
      return
    }
    try {
      const segment = open.close()
      this.#closed.push(segment)
      this.#count(segment, 1)
      this.#upkeep.keep(segment, open.index)
    } catch {
      // The file was taken away under us; its packets are gone with it.
      this.lost += open.packets
      this.#untold += open.packets + open.drops
      this.#untoldDisk += open.packets + open.diskDrops
    }
  }

  /** Deletes what must go for `bytes` more, with what a segment needs to begin and to end. */
  #makeRoom(bytes: number): boolean {
    // What can never fit must not cost what is there.
    if (bytes + STATISTICS_BYTES + this.preamble.bytes.length > this.#maxBytes) return false
    for (;;) {
      if (this.#hasRoom(bytes)) return true
      if (this.#closed.length === 0) this.#rotate()
      if (this.#closed.length === 0 || !this.#deleteOldest()) return false
    }
  }

  #hasRoom(bytes: number): boolean {
    const needed = bytes + STATISTICS_BYTES + (this.#open ? 0 : this.preamble.bytes.length)
    return this.#bytes() + needed <= this.#maxBytes
  }

  #deleteOldest(): boolean {
    const oldest = this.#closed[0]
    try {
      unlinkSync(oldest.path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false
    }
    this.#closed.shift()
    this.#count(oldest, -1)
    if (oldest.indexBytes > 0) rmSync(indexPath(oldest.path), { force: true })
    return true
  }

  #indexed(segment: Segment, bytes: number): void {
    this.#closed[this.#closed.indexOf(segment)] = { ...segment, indexBytes: bytes }
    this.#closedBytes += bytes
  }

  #bytes(): number {
    return this.#closedBytes + (this.#open?.bytes ?? 0)
  }

  #count(segment: Segment, sign: 1 | -1): void {
    this.#closedBytes += sign * (segment.bytes + segment.indexBytes)
    this.#closedPackets += sign * segment.packets
    this.#closedDrops += sign * segment.drops
    this.#closedDiskDrops += sign * segment.diskDrops
  }
}

/** A segment that somebody else deleted takes nothing away from the others. */
function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
