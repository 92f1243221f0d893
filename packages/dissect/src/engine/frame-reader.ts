import { type Loss, Malformed } from '@tapdeck/wire'
import type { Allowance } from '../budget.ts'
import { type Conversation, UNTIL_CLOSE } from '../dissector.ts'
import type { Limits } from '../limits.ts'
import type { Handoff, Message } from '../message.ts'
import type { ReusedFrame } from '../reused-frame.ts'
import type { HalfStream } from './half-stream.ts'
import { giveBack } from './spare-bytes.ts'

export type Decoded = ReturnType<Conversation['decode']>

/** Whose frames are read, and who gets what the reader finds. */
export interface FramedFlow extends Allowance {
  /** Another one, or none, as soon as another protocol took over or this one failed. */
  readonly conversation: Conversation | undefined
  decoded(half: HalfStream, decoded: Message | readonly Message[] | Handoff, endTime: number): void
  /** Messages of that side were lost: bytes that did not come, or that made no sense without those. */
  lost(half: HalfStream): void
  /** The protocol threw. Unless the flow goes on with it nevertheless, nothing more is read of this conversation. */
  failed(error: unknown): void
}

/** Bytes carried over from segment to segment while the next frame is looked for. */
const TAIL = 2048
/** How often each byte may be looked at for that, on average, beyond some that are free: bytes may drip in. */
const LOOKS = 64
const FREE = 64 * 1024
const NOTHING = new Uint8Array(0)

/**
 * Cuts the bytes of both sides into the frames of a conversation. A frame that stands whole in a packet is decoded
 * where it stands; only what is cut by packet borders is copied. One reader serves all flows, and keeps nothing of them.
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

  /** Reads `bytes[start, end)`; returns where it stopped: before `end` only when it is done for good. */
  read(
    flow: FramedFlow,
    conversation: Conversation,
    half: HalfStream,
    bytes: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): number {
    let at = start
    if (half.held > 0 && half.length === 0 && half.footing === 'aligned')
      at = this.#follow(flow, conversation, half, bytes, at, end, time)
    while (at < end && flow.conversation === conversation) {
      if (half.footing === 'aligned') at = this.#follow(flow, conversation, half, bytes, at, end, time)
      else if (half.footing === 'adrift') at = this.#seek(flow, conversation, half, bytes, at, end, time)
      else return end
    }
    return at
  }

  decode(
    flow: FramedFlow,
    conversation: Conversation,
    half: HalfStream,
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
    endTime: number,
    unsent = 0,
  ): void {
    if (half.messageStart < 0) half.messageStart = time
    half.messageSize += length - unsent
    const frame = this.#frame
    frame.set(bytes, start, end, length, time, endTime)
    frame.unsent = unsent
    let decoded: Decoded
    try {
      decoded = conversation.decode(frame, half.side)
    } catch (error) {
      this.#fail(flow, half, error)
      return
    }
    if (decoded === undefined) return
    if (half.trouble !== undefined) half.trouble.trial = false
    flow.decoded(half, decoded, endTime)
  }

  /**
   * `missing` bytes of that side will not come. As long as they are inside frames of known length, the next frame is
   * where it would have been. False where the protocol cannot go on without them.
   */
  gap(
    flow: FramedFlow,
    conversation: Conversation,
    half: HalfStream,
    missing: number,
    time: number,
  ): boolean {
    if (half.footing !== 'aligned') return true
    let left = missing
    while (flow.conversation === conversation && half.footing === 'aligned') {
      if (half.length === 0) {
        if (left === 0) return true
        const length = half.held > 0 ? 0 : this.#measure(flow, conversation, half, NOTHING, 0, 0)
        if (length <= 0) break
        this.#begin(flow, conversation, half, length, time)
      }
      const take = Math.min(left, half.length - half.passed)
      left -= take
      half.passed += take
      half.keep = half.held
      if (half.passed < half.length) return true
      this.#deliver(flow, conversation, half, time)
    }
    return flow.conversation !== conversation || this.#lose(flow, conversation, half)
  }

  /** That side ended: what began is decoded as far as it came. */
  finish(flow: FramedFlow, conversation: Conversation, half: HalfStream): void {
    if (
      half.trouble?.unseen &&
      half.footing === 'adrift' &&
      this.#look(flow, conversation, half, half.last) >= 0
    )
      this.#follow(flow, conversation, half, NOTHING, 0, 0, half.last)
    if (half.length > 0 && half.footing === 'aligned') {
      half.troubled.ending = true
      this.#deliver(flow, conversation, half, half.last)
    }
    if (flow.conversation !== conversation) return
    let last: Message | readonly Message[] | undefined
    if (half.held > 0 && half.messageStart < 0) half.messageStart = half.time
    try {
      last = conversation.finish?.(half.side, rest(half))
    } catch (error) {
      this.#fail(flow, half, error)
      return
    }
    if (last !== undefined) flow.decoded(half, last, half.last)
  }

  #follow(
    flow: FramedFlow,
    conversation: Conversation,
    half: HalfStream,
    bytes: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): number {
    let at = start
    while (flow.conversation === conversation && half.footing === 'aligned') {
      if (half.length > 0) {
        const take = Math.min(half.length - half.passed, end - at)
        this.#hold(flow, half, bytes, at, at + take)
        at += take
        half.passed += take
        if (half.passed < half.length) return end
        this.#deliver(flow, conversation, half, time)
      } else if (half.held > 0) {
        const taken = this.#extend(flow, conversation, half, bytes, at, end, time)
        if (taken < 0) return end
        at += taken
      } else {
        if (at >= end) return end
        const length = this.#measure(flow, conversation, half, bytes, at, end)
        if (length < 0) return end
        if (length === 0) {
          half.time = time
          if (half.append(bytes, at, end, this.#limits.frame, flow) < end - at)
            this.#fail(flow, half, new Malformed('no end in sight'))
          return end
        }
        if (length <= end - at) {
          this.decode(flow, conversation, half, bytes, at, at + length, length, time, time)
          at += length
        } else this.#begin(flow, conversation, half, length, time)
      }
    }
    return at
  }

  /** Adds bytes to a frame of unknown length until it is known. Returns how many were consumed; -1: all. */
  #extend(
    flow: FramedFlow,
    conversation: Conversation,
    half: HalfStream,
    bytes: Uint8Array,
    at: number,
    end: number,
    time: number,
  ): number {
    const taken = half.append(bytes, at, end, this.#limits.frame, flow)
    const length = this.#measure(flow, conversation, half, half.bytes, 0, half.held)
    if (length < 0) return -1
    if (length === 0) {
      if (taken < end - at) this.#fail(flow, half, new Malformed('no end in sight'))
      return -1
    }
    if (length > half.held) {
      this.#begin(flow, conversation, half, length, half.time)
      return taken
    }
    const over = half.held - length
    const { bytes: held, time: since } = half
    if (over <= taken) {
      half.clear(flow)
      this.decode(flow, conversation, half, held, 0, length, length, since, taken > 0 ? time : half.last)
      giveBack(held)
      return taken - over
    }
    this.decode(flow, conversation, half, held, 0, length, length, since, half.last)
    if (half.bytes === held) half.shift(length)
    return taken
  }

  #begin(flow: FramedFlow, conversation: Conversation, half: HalfStream, length: number, time: number): void {
    let wanted = length
    try {
      if (conversation.keep !== undefined) wanted = conversation.keep(half.side)
    } catch (error) {
      this.#fail(flow, half, error)
    }
    half.begin(length, Math.min(length, this.#limits.frame, wanted), time)
  }

  #hold(flow: FramedFlow, half: HalfStream, bytes: Uint8Array, start: number, end: number): void {
    if (half.held >= half.keep) return
    const stop = Math.min(end, start + half.keep - half.held)
    if (half.append(bytes, start, stop, half.keep, flow) < stop - start) half.keep = half.held
  }

  #deliver(flow: FramedFlow, conversation: Conversation, half: HalfStream, endTime: number): void {
    const { bytes, held, passed, time } = half
    const length = half.length === UNTIL_CLOSE ? passed : half.length
    half.clear(flow)
    this.decode(flow, conversation, half, bytes, 0, held, length, time, endTime, length - passed)
    giveBack(bytes)
  }

  /** The length of the next frame; 0: unknown yet; -1: the protocol failed. */
  #measure(
    flow: FramedFlow,
    conversation: Conversation,
    half: HalfStream,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): number {
    try {
      const length = conversation.frame(bytes, start, end, half.side)
      if (length >= 0) return length
      this.#fail(flow, half, new RangeError(`a frame of ${length} bytes`))
    } catch (error) {
      this.#fail(flow, half, error)
    }
    return -1
  }

  #lose(flow: FramedFlow, conversation: Conversation, half: HalfStream): boolean {
    let last: Message | readonly Message[] | undefined
    if (half.held > 0 && half.messageStart < 0) half.messageStart = half.time
    try {
      last = conversation.lost?.(half.side, rest(half))
    } catch (error) {
      this.#fail(flow, half, error)
      return true
    }
    half.clear(flow)
    if (last !== undefined) flow.decoded(half, last, half.last)
    half.messageStart = -1
    half.messageSize = 0
    half.footing = 'adrift'
    return conversation.resync !== undefined
  }

  /** Looks for the next frame after lost bytes. */
  #seek(
    flow: FramedFlow,
    conversation: Conversation,
    half: HalfStream,
    bytes: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): number {
    if (conversation.resync === undefined) return end
    const passed = half.held
    const taken = half.append(bytes, start, end, this.#limits.frame, flow)
    if (taken === 0) {
      half.clear(flow)
      flow.lost(half)
      return end
    }
    const { troubled } = half
    troubled.adrift += taken
    troubled.unseen = troubled.searched + half.held > troubled.adrift * LOOKS + FREE
    const found = troubled.unseen ? -1 : this.#look(flow, conversation, half, time)
    // More than what was told to be lost before is passed over.
    if (found < 0 || found > passed) flow.lost(half)
    if (found < 0) return flow.conversation !== conversation ? end : start + taken
    return this.#follow(flow, conversation, half, bytes, start + taken, end, time)
  }

  /** How many bytes stand before a frame in what is held; -1: there is none. */
  #look(flow: FramedFlow, conversation: Conversation, half: HalfStream, time: number): number {
    const loss = this.#loss
    const { troubled } = half
    troubled.unseen = false
    troubled.searched += half.held
    let found = -1
    try {
      found = conversation.resync?.(half.bytes, 0, half.held, half.side) ?? -1
    } catch (error) {
      this.#fail(flow, half, error)
      return -1
    }
    const skipped = found < 0 ? Math.max(0, half.held - TAIL) : Math.min(found, half.held)
    loss.resync_bytes = (loss.resync_bytes ?? 0) + skipped
    half.shift(skipped)
    half.time = time
    if (found < 0) return -1
    half.footing = 'aligned'
    troubled.trial = true
    troubled.adrift = 0
    troubled.searched = 0
    return skipped
  }

  #fail(flow: FramedFlow, half: HalfStream, error: unknown): void {
    half.messageStart = -1
    half.messageSize = 0
    // What was read on a guess, or only because its side ended, proves nothing against the protocol.
    const { trouble } = half
    if (error instanceof Malformed && (trouble?.trial || trouble?.ending)) {
      half.clear(flow)
      half.footing = trouble.ending ? 'deaf' : 'adrift'
      return
    }
    flow.failed(error)
  }
}

/** What is held of a frame of unknown length. */
function rest({ footing, length, held, bytes }: HalfStream): Uint8Array {
  return footing === 'aligned' && length === 0 && held > 0 ? bytes.subarray(0, held) : NOTHING
}
