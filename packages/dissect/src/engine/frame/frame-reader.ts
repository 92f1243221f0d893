import { type Loss, Malformed } from '@tapdeck/wire'
import { type Conversation, UNTIL_CLOSE } from '../../contract/dissector.ts'
import type { Limits } from '../../contract/limits.ts'
import type { Handoff, Message } from '../../contract/message.ts'
import type { ReusedFrame } from '../../contract/reused-frame.ts'
import type { Allowance } from '../../memory/budget.ts'
import type { DirectionBuffer } from './direction-buffer.ts'
import { returnBuffer } from './frame-buffer-pool.ts'

export type Decoded = ReturnType<Conversation['decode']>

/** The flow whose frames are read. It receives the results. */
export interface FramedFlow extends Allowance {
  /** Changes when another protocol takes over, or this one fails. */
  readonly conversation: Conversation | undefined
  decoded(direction: DirectionBuffer, decoded: Message | readonly Message[] | Handoff, endTime: number): void
  /** Messages of that direction were lost, or could not be read because of a gap. */
  lost(direction: DirectionBuffer): void
  /** The protocol threw at bytes of that direction. Unless the flow keeps its conversation, nothing more is read. */
  failed(error: unknown, direction: DirectionBuffer): void
}

/** Bytes kept from segment to segment while searching for a frame. */
const MAX_SEARCH_TAIL = 2048
/** Average searches per byte, and bytes that are free: a side that sends byte by byte must not cost quadratic time. */
const MAX_SEARCHES_PER_BYTE = 64
const FREE_SEARCH_BYTES = 64 * 1024
const NOTHING = new Uint8Array(0)

/**
 * Splits both directions into the frames of a conversation. A frame within one packet is decoded in place; only
 * frames that span packets are copied. One reader serves all flows and has no state of its own.
 */
export class FrameReader {
  readonly #limits: Limits
  readonly #loss: Loss
  readonly #frame: ReusedFrame

  constructor(limits: Limits, loss: Loss, frame: ReusedFrame) {
    this.#limits = limits
    this.#loss = loss
    this.#frame = frame
  }

  /** Reads `bytes[start, end)`. Returns where it stopped: before `end` only if the conversation changed. */
  read(
    flow: FramedFlow,
    direction: DirectionBuffer,
    bytes: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): number {
    const { conversation } = flow
    let at = start
    if (direction.held > 0 && direction.length === 0 && direction.sync === 'synced')
      at = this.#follow(flow, direction, bytes, at, end, time)
    while (at < end && flow.conversation === conversation) {
      if (direction.sync === 'synced') at = this.#follow(flow, direction, bytes, at, end, time)
      else if (direction.sync === 'searching') at = this.#resync(flow, direction, bytes, at, end, time)
      else return end
    }
    return at
  }

  /** Decodes the frame in the shared `ReusedFrame`, which the caller has set. */
  decode(flow: FramedFlow, direction: DirectionBuffer): void {
    const { conversation } = flow
    if (conversation === undefined) return
    const frame = this.#frame
    const { endTime } = frame
    if (direction.messageStart < 0) direction.messageStart = frame.time
    direction.messageSize += frame.length - frame.unsent
    let decoded: Decoded
    try {
      decoded = conversation.decode(frame, direction.side)
    } catch (error) {
      this.#fail(flow, direction, error)
      return
    }
    if (decoded === undefined) return
    if (direction.gapState !== undefined) direction.gapState.isGuess = false
    flow.decoded(direction, decoded, endTime)
  }

  /**
   * `missing` bytes were lost. Inside of frames of known length, the next frame is still where expected. Returns
   * false if the protocol cannot continue.
   */
  gap(flow: FramedFlow, direction: DirectionBuffer, missing: number, time: number): boolean {
    if (direction.sync !== 'synced') return true
    const { conversation } = flow
    let left = missing
    while (flow.conversation === conversation && direction.sync === 'synced') {
      if (direction.length === 0) {
        if (left === 0) return true
        const length = direction.held > 0 ? 0 : this.#measure(flow, direction, NOTHING, 0, 0)
        if (length <= 0) break
        this.#begin(flow, direction, length, time)
      }
      const take = Math.min(left, direction.length - direction.passed)
      left -= take
      direction.passed += take
      direction.keep = direction.held
      if (direction.passed < direction.length) return true
      this.#deliver(flow, direction, time)
    }
    return flow.conversation !== conversation || this.#handleGap(flow, direction)
  }

  /** The direction ended: decodes an incomplete frame as it is. */
  finish(flow: FramedFlow, direction: DirectionBuffer): void {
    const { conversation } = flow
    if (
      direction.gapState?.searchPending &&
      direction.sync === 'searching' &&
      this.#search(flow, direction, direction.last) >= 0
    )
      this.#follow(flow, direction, NOTHING, 0, 0, direction.last)
    if (direction.length > 0 && direction.sync === 'synced') {
      direction.ensureGapState().atEnd = true
      this.#deliver(flow, direction, direction.last)
    }
    if (flow.conversation !== conversation) return
    let last: Message | readonly Message[] | undefined
    if (direction.held > 0 && direction.messageStart < 0) direction.messageStart = direction.time
    try {
      last = conversation?.finish?.(direction.side, rest(direction))
    } catch (error) {
      this.#fail(flow, direction, error)
      return
    }
    if (last !== undefined) flow.decoded(direction, last, direction.last)
  }

  #follow(
    flow: FramedFlow,
    direction: DirectionBuffer,
    bytes: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): number {
    const { conversation } = flow
    let at = start
    while (flow.conversation === conversation && direction.sync === 'synced') {
      if (direction.length > 0) {
        const take = Math.min(direction.length - direction.passed, end - at)
        this.#store(flow, direction, bytes, at, at + take)
        at += take
        direction.passed += take
        if (direction.passed < direction.length) return end
        this.#deliver(flow, direction, time)
      } else if (direction.held > 0) {
        const taken = this.#extendUnmeasured(flow, direction, bytes, at, end, time)
        if (taken < 0) return end
        at += taken
      } else {
        if (at >= end) return end
        const length = this.#measure(flow, direction, bytes, at, end)
        if (length < 0) return end
        if (length === 0) {
          direction.time = time
          if (direction.append(bytes, at, end, this.#limits.frame, flow) < end - at)
            this.#fail(flow, direction, new Malformed('no end in sight'))
          return end
        }
        if (length <= end - at) {
          this.#frame.set(bytes, at, at + length, length, time, time)
          this.decode(flow, direction)
          at += length
        } else this.#begin(flow, direction, length, time)
      }
    }
    return at
  }

  /** Appends bytes until the length of the frame is known. Returns how many were consumed; -1: all. */
  #extendUnmeasured(
    flow: FramedFlow,
    direction: DirectionBuffer,
    bytes: Uint8Array,
    at: number,
    end: number,
    time: number,
  ): number {
    const taken = direction.append(bytes, at, end, this.#limits.frame, flow)
    const length = this.#measure(flow, direction, direction.bytes, 0, direction.held)
    if (length < 0) return -1
    if (length === 0) {
      if (taken < end - at) this.#fail(flow, direction, new Malformed('no end in sight'))
      return -1
    }
    if (length > direction.held) {
      this.#begin(flow, direction, length, direction.time)
      return taken
    }
    const over = direction.held - length
    const { bytes: held, time: since } = direction
    if (over <= taken) {
      direction.clear(flow)
      this.#frame.set(held, 0, length, length, since, taken > 0 ? time : direction.last)
      this.decode(flow, direction)
      returnBuffer(held)
      return taken - over
    }
    this.#frame.set(held, 0, length, length, since, direction.last)
    this.decode(flow, direction)
    if (direction.bytes === held) direction.shift(length)
    return taken
  }

  #begin(flow: FramedFlow, direction: DirectionBuffer, length: number, time: number): void {
    const { conversation } = flow
    let wanted = length
    try {
      if (conversation?.keep !== undefined) wanted = conversation.keep(direction.side)
    } catch (error) {
      this.#fail(flow, direction, error)
    }
    direction.begin(length, Math.min(length, this.#limits.frame, wanted), time)
  }

  #store(flow: FramedFlow, direction: DirectionBuffer, bytes: Uint8Array, start: number, end: number): void {
    if (direction.held >= direction.keep) return
    const stop = Math.min(end, start + direction.keep - direction.held)
    if (direction.append(bytes, start, stop, direction.keep, flow) < stop - start)
      direction.keep = direction.held
  }

  #deliver(flow: FramedFlow, direction: DirectionBuffer, endTime: number): void {
    const { bytes, held, passed, time } = direction
    const length = direction.length === UNTIL_CLOSE ? passed : direction.length
    direction.clear(flow)
    this.#frame.set(bytes, 0, held, length, time, endTime)
    this.#frame.unsent = length - passed
    this.decode(flow, direction)
    returnBuffer(bytes)
  }

  /** Length of the next frame; 0: unknown yet; -1: the protocol failed. */
  #measure(
    flow: FramedFlow,
    direction: DirectionBuffer,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): number {
    const { conversation } = flow
    if (conversation === undefined) return -1
    try {
      const length = conversation.frame(bytes, start, end, direction.side)
      if (length >= 0) return length
      this.#fail(flow, direction, new RangeError(`a frame of ${length} bytes`))
    } catch (error) {
      this.#fail(flow, direction, error)
    }
    return -1
  }

  #handleGap(flow: FramedFlow, direction: DirectionBuffer): boolean {
    const { conversation } = flow
    let last: Message | readonly Message[] | undefined
    if (direction.held > 0 && direction.messageStart < 0) direction.messageStart = direction.time
    try {
      last = conversation?.lost?.(direction.side, rest(direction))
    } catch (error) {
      this.#fail(flow, direction, error)
      return true
    }
    direction.clear(flow)
    if (last !== undefined) flow.decoded(direction, last, direction.last)
    direction.messageStart = -1
    direction.messageSize = 0
    direction.sync = 'searching'
    return conversation?.resync !== undefined
  }

  /** Searches for the next frame after lost bytes. */
  #resync(
    flow: FramedFlow,
    direction: DirectionBuffer,
    bytes: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): number {
    const { conversation } = flow
    if (conversation?.resync === undefined) return end
    const passed = direction.held
    const taken = direction.append(bytes, start, end, this.#limits.frame, flow)
    if (taken === 0) {
      direction.clear(flow)
      flow.lost(direction)
      return end
    }
    const gapState = direction.ensureGapState()
    gapState.bytesSinceGap += taken
    gapState.searchPending =
      gapState.bytesSearched + direction.held >
      gapState.bytesSinceGap * MAX_SEARCHES_PER_BYTE + FREE_SEARCH_BYTES
    const found = gapState.searchPending ? -1 : this.#search(flow, direction, time)
    // Skips more bytes than were reported as lost before.
    if (found < 0 || found > passed) flow.lost(direction)
    if (found < 0) return flow.conversation !== conversation ? end : start + taken
    return this.#follow(flow, direction, bytes, start + taken, end, time)
  }

  /** How many buffered bytes precede a frame; -1: none found. */
  #search(flow: FramedFlow, direction: DirectionBuffer, time: number): number {
    const loss = this.#loss
    const gapState = direction.ensureGapState()
    gapState.searchPending = false
    gapState.bytesSearched += direction.held
    let found = -1
    try {
      found = flow.conversation?.resync?.(direction.bytes, 0, direction.held, direction.side) ?? -1
    } catch (error) {
      this.#fail(flow, direction, error)
      return -1
    }
    const skipped =
      found < 0 ? Math.max(0, direction.held - MAX_SEARCH_TAIL) : Math.min(found, direction.held)
    loss.resync_bytes = (loss.resync_bytes ?? 0) + skipped
    direction.shift(skipped)
    direction.time = time
    if (found < 0) return -1
    direction.sync = 'synced'
    gapState.isGuess = true
    gapState.bytesSinceGap = 0
    gapState.bytesSearched = 0
    return skipped
  }

  #fail(flow: FramedFlow, direction: DirectionBuffer, error: unknown): void {
    direction.messageStart = -1
    direction.messageSize = 0
    // Bytes read on a guess, or only because the direction ended, do not disprove the protocol.
    const { gapState } = direction
    if (error instanceof Malformed && (gapState?.isGuess || gapState?.atEnd)) {
      direction.clear(flow)
      direction.sync = gapState.atEnd ? 'ignored' : 'searching'
      return
    }
    flow.failed(error, direction)
  }
}

/** Buffered bytes of a frame of unknown length. */
function rest({ sync, length, held, bytes }: DirectionBuffer): Uint8Array {
  return sync === 'synced' && length === 0 && held > 0 ? bytes.subarray(0, held) : NOTHING
}
