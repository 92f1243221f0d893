import type { Side } from '@tapdeck/wire'
import type { Dissector } from '../../contract/dissector.ts'
import type { Allowance } from '../../memory/budget.ts'
import { borrowBuffer, returnBuffer } from './frame-buffer-pool.ts'

const EMPTY = new Uint8Array(0)
const MIN_CAPACITY = 2048

/**
 * `synced`: the next byte begins or continues a frame. `searching`: bytes were lost, so the next frame must be found.
 * `ignored`: the rest of this direction is not read.
 */
export type SyncState = 'synced' | 'searching' | 'ignored'

/** Kept only for a direction that had a gap or is about to end. */
class GapState {
  /** `resync` found a frame after the gap, and no decoded message has confirmed it yet. */
  isGuess = false
  /** Bytes received since the gap, bytes searched for a frame, and whether the last bytes still need a search. */
  bytesSinceGap = 0
  bytesSearched = 0
  searchPending = false
  /** The last, incomplete frame is being decoded. */
  atEnd = false
  /** Packet time of the last gap, and whether the snap length caused it. */
  gapTime: number | undefined
  gapIsCut = false
}

/** Kept only for a direction that was not recognised at once. */
class DetectionState {
  /** Protocols that are still possible; undefined before the first byte. */
  candidates: readonly Dissector[] | undefined
  attempts = 0
  /** The first bytes of an unrecognised direction. */
  sample: Uint8Array | undefined
}

/** A frame that is not complete yet, or bytes that are being probed. */
class PartialFrame {
  bytes: Uint8Array = EMPTY
  held = 0
  length = 0
  keep = 0
  passed = 0
  time = 0
}

/** The flow that currently uses a buffer. */
export interface BufferOwner {
  /** The buffer is reused for another flow. Save the time of its last byte. */
  leave(buffer: DirectionBuffer): void
}

/** One direction of a flow: the buffered bytes of its current frame, and its state. */
export class DirectionBuffer {
  side: Side = 0
  owner: BufferOwner | undefined
  sync: SyncState = 'synced'
  finished = false
  /** Undefined in most flows, to save memory. */
  gapState: GapState | undefined
  detection: DetectionState | undefined
  #partial: PartialFrame | undefined
  /** Packet time of the last byte. */
  last = 0

  /** Start and size of the frames since the last message; -1: none. */
  messageStart = -1
  messageSize = 0

  /** Nothing but `last` must be kept. */
  get isIdle(): boolean {
    return (
      this.#partial === undefined &&
      this.messageStart < 0 &&
      this.sync === 'synced' &&
      this.detection === undefined &&
      this.gapState === undefined &&
      !this.finished
    )
  }

  /** Prepares for reuse. The caller has cleared it. */
  reset(): void {
    this.owner = undefined
    this.sync = 'synced'
    this.finished = false
    this.gapState = undefined
    this.detection = undefined
    this.messageStart = -1
    this.messageSize = 0
  }

  ensureGapState(): GapState {
    this.gapState ??= new GapState()
    return this.gapState
  }

  /** Records missing bytes. */
  noteGap(time: number, cut: boolean): void {
    this.ensureGapState().gapTime = time
    this.ensureGapState().gapIsCut = cut
  }

  ensureDetection(): DetectionState {
    this.detection ??= new DetectionState()
    return this.detection
  }

  /** The first `held` bytes are those of the current frame, or of what is probed. */
  get bytes(): Uint8Array {
    return this.#partial === undefined ? EMPTY : this.#partial.bytes
  }

  get held(): number {
    return this.#partial === undefined ? 0 : this.#partial.held
  }

  /** Length of the current frame; 0 while unknown. */
  get length(): number {
    return this.#partial === undefined ? 0 : this.#partial.length
  }

  /** How many of its bytes to buffer. Lowering it drops bytes. */
  get keep(): number {
    return this.#partial === undefined ? 0 : this.#partial.keep
  }

  set keep(count: number) {
    const partial = this.#ensurePartial()
    partial.keep = count
    if (partial.held > count) partial.held = count
  }

  /** How many of its bytes have passed, buffered or not. */
  get passed(): number {
    return this.#partial === undefined ? 0 : this.#partial.passed
  }

  set passed(count: number) {
    this.#ensurePartial().passed = count
  }

  /** Packet time of the current frame's first byte. */
  get time(): number {
    return this.#partial === undefined ? 0 : this.#partial.time
  }

  set time(time: number) {
    this.#ensurePartial().time = time
  }

  /** Starts a frame of `length` bytes, of which `keep` are buffered. Bytes held already are its beginning. */
  begin(length: number, keep: number, time: number): void {
    const partial = this.#ensurePartial()
    partial.length = length
    partial.time = time
    partial.passed = partial.held
    this.keep = keep
  }

  /** Appends up to `ceiling` bytes in total, if the budget allows. Returns how many were taken. */
  append(bytes: Uint8Array, start: number, end: number, ceiling: number, budget: Allowance): number {
    const partial = this.#ensurePartial()
    const { held } = partial
    const take = Math.min(end - start, ceiling - held)
    if (take <= 0 || !reserve(partial, held + take, ceiling, budget)) return 0
    partial.bytes.set(bytes.subarray(start, start + take), held)
    partial.held = held + take
    return take
  }

  /** Drops the first `count` bytes. */
  shift(count: number): void {
    const partial = this.#ensurePartial()
    partial.bytes.copyWithin(0, count, partial.held)
    partial.held -= count
  }

  /** Drops the current frame. */
  clear(budget: Allowance): void {
    const partial = this.#partial
    if (partial === undefined) return
    this.#partial = undefined
    if (partial.bytes.length > 0) budget.give(partial.bytes.length)
  }

  #ensurePartial(): PartialFrame {
    this.#partial ??= new PartialFrame()
    return this.#partial
  }
}

function reserve(partial: PartialFrame, needed: number, ceiling: number, budget: Allowance): boolean {
  const { bytes, held } = partial
  const present = bytes.length
  if (needed <= present) return true
  let size = present === 0 ? MIN_CAPACITY : present * 2
  while (size < needed) size *= 2
  size = Math.min(size, Math.max(ceiling, needed))
  const grown = borrowBuffer(size)
  if (!budget.take(grown.length - present)) {
    returnBuffer(grown)
    return false
  }
  if (held > 0) grown.set(bytes.subarray(0, held))
  returnBuffer(bytes)
  partial.bytes = grown
  return true
}
