import { Malformed, type Side } from '@tapdeck/wire'
import { type Connection, type Conversation, type Frame, UNTIL_CLOSE } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { Body } from '../../message/body.ts'
import { errorName } from './error-code.ts'
import {
  FLAG,
  framesLength,
  HEADER,
  INITIAL_MAX_FRAME,
  MAX_FRAME_SIZE,
  numberAt,
  PREFACE,
  payloadLength,
  SETTING,
  streamAt,
  TYPE,
} from './frame.ts'
import { HeaderDecoder } from './hpack/header-decoder.ts'
import type { HeaderSection } from './hpack/header-section.ts'
import { probePreface, resync } from './probe.ts'
import { Streams } from './streams.ts'

/** A header block that comes in several frames. */
interface Fragments {
  readonly stream: number
  /** Stream that is promised by it; 0: it is no promise. */
  readonly promised: number
  readonly endStream: boolean
  readonly block: Body
  readonly time: number
  size: number
  cut: boolean
}

/** HTTP/2, both sides: RFC 9113. Each stream becomes a call of HTTP, or of what HTTP carries. */
export class Http2Conversation implements Conversation {
  readonly #connection: Connection
  readonly #streams: Streams
  readonly #decoders: readonly [HeaderDecoder, HeaderDecoder]
  readonly #fragments: [Fragments | undefined, Fragments | undefined] = [undefined, undefined]
  readonly #largest: [number, number] = [INITIAL_MAX_FRAME, INITIAL_MAX_FRAME]
  readonly #spoken: [boolean, boolean] = [false, false]
  /** The frame that `frame` has measured beyond the bytes at hand. */
  #type = 0
  #stream = 0
  /** After a loss: the stream that the client would open next if none was missed. */
  #expected = 0
  #opened = 0

  constructor(connection: Connection) {
    const { flow, context } = connection
    this.#connection = connection
    this.#streams = new Streams(connection)
    this.#decoders = [new HeaderDecoder(connection), new HeaderDecoder(connection)]
    const asked = context?.requestHead
    if (asked instanceof Uint8Array) this.#streams.upgrade(asked)
    if (!flow.midstream) return
    this.#lose(0)
    this.#lose(1)
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (side === 0 && bytes[start] === PREFACE[0] && start < end) {
      const verdict = probePreface(bytes, start, end)
      if (verdict === 'no') throw new Malformed('no HTTP/2 preface')
      return verdict === 'yes' ? PREFACE.length : 0
    }
    const length = framesLength(bytes, start, end, this.#largest[side])
    if (length > end - start) {
      this.#type = bytes[start + 3]
      this.#stream = streamAt(bytes, start + 5)
    }
    return length
  }

  keep(side: Side): number {
    return this.#type === TYPE.data ? HEADER + 1 + this.#streams.room(this.#stream, side) : UNTIL_CLOSE
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    const { bytes, start, end, endTime } = frame
    const streams = this.#streams
    streams.speak(side, frame.time)
    if (side === 0 && bytes[start] === PREFACE[0]) {
      this.#begin(0)
      return streams.takeEmitted()
    }
    if (!this.#spoken[side]) this.#first(bytes, start, side)
    let time = frame.time
    for (let at = start; end - at >= HEADER; ) {
      const length = payloadLength(bytes, at)
      const stop = at + HEADER + length
      streams.time = time
      streams.endTime = endTime
      streams.size = HEADER + length
      this.#frame(bytes, at, Math.min(stop, end), length, side)
      at = stop
      // Only the first can have begun in an earlier packet.
      time = endTime
    }
    streams.emitBegun()
    return streams.takeEmitted()
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const found = resync(bytes, start, end, side)
    if (found >= 0 && !this.#spoken[side]) this.#lose(side)
    return found
  }

  lost(side: Side): Message | readonly Message[] | undefined {
    this.#fragments[side]?.block.drop()
    this.#fragments[side] = undefined
    if (side === 0) this.#expected = this.#decoders[0].inDoubt ? 0 : this.#opened + 2
    this.#lose(side)
    return undefined
  }

  finish(side: Side): Message | readonly Message[] | undefined {
    this.#streams.speak(side, 0)
    this.#streams.finish()
    return this.#streams.takeEmitted()
  }

  /** Something of that side was missed. */
  #lose(side: Side): void {
    this.#decoders[side].lose()
    this.#streams.lose(side)
    this.#largest[0] = MAX_FRAME_SIZE
    this.#largest[1] = MAX_FRAME_SIZE
  }

  /** This is where that side began: there is nothing before it that could have been missed. */
  #begin(side: Side): void {
    this.#spoken[side] = true
    this.#decoders[side].reset()
    if (side === 0) this.#streams.whole()
  }

  /** RFC 9113 §3.4: a server's first frame is SETTINGS, and hardly any later one. */
  #first(bytes: Uint8Array, start: number, side: Side): void {
    this.#spoken[side] = true
    if (side === 1 && bytes[start + 3] === TYPE.settings && (bytes[start + 4] & FLAG.ack) === 0)
      this.#begin(1)
  }

  #frame(bytes: Uint8Array, at: number, end: number, length: number, side: Side): void {
    const type = bytes[at + 3]
    const stream = streamAt(bytes, at + 5)
    const streams = this.#streams
    if (type !== TYPE.continuation && this.#fragments[side] !== undefined)
      throw new Malformed('header block without its end')
    switch (type) {
      case TYPE.data:
        this.#data(bytes, at, end, length, stream)
        return
      case TYPE.headers:
      case TYPE.pushPromise:
        this.#headers(bytes, at, end, length, stream, side)
        return
      case TYPE.continuation:
        this.#continuation(bytes, at, end, length, stream, side)
        return
      case TYPE.resetStream:
        if (end - at === HEADER + 4) streams.reset(stream, errorName(numberAt(bytes, at + HEADER)))
        return
      case TYPE.goAway:
        if (end - at >= HEADER + 8 && side === 1) {
          const reason = errorName(numberAt(bytes, at + HEADER + 4))
          streams.goAway(streamAt(bytes, at + HEADER), reason)
        }
        return
      case TYPE.settings:
        if ((bytes[at + 4] & FLAG.ack) === 0) this.#settings(bytes, at + HEADER, end, side)
    }
  }

  #data(bytes: Uint8Array, at: number, end: number, length: number, stream: number): void {
    const flags = bytes[at + 4]
    let start = at + HEADER
    let size = length
    if (flags & FLAG.padded) {
      if (start < end) size -= 1 + bytes[start++]
      if (size < 0) throw new Malformed('more padding than frame')
    }
    const stop = Math.min(end, start + size)
    this.#streams.data(stream, bytes, start, stop, size, (flags & FLAG.endStream) !== 0)
  }

  #headers(bytes: Uint8Array, at: number, end: number, length: number, stream: number, side: Side): void {
    const flags = bytes[at + 4]
    const promise = bytes[at + 3] === TYPE.pushPromise
    let start = at + HEADER
    let stop = at + HEADER + length
    let promised = 0
    if (flags & FLAG.padded && start < end) stop -= bytes[start++]
    if (promise) {
      if (start + 4 <= end) promised = streamAt(bytes, start)
      start += 4
    } else if (flags & FLAG.priority) start += 5
    if (start > stop) throw new Malformed('more padding than frame')
    const cut = stop > end
    const endStream = !promise && (flags & FLAG.endStream) !== 0
    if (flags & FLAG.endHeaders) {
      const section = this.#section(bytes, start, cut ? -1 : stop, stream, side)
      this.#take(section, stream, promised, endStream)
      return
    }
    const { time, size } = this.#streams
    const block = new Body(this.#connection)
    block.append(bytes, Math.min(start, end), Math.min(stop, end), stop - start)
    this.#fragments[side] = { stream, promised, endStream, block, time, size, cut }
  }

  #continuation(
    bytes: Uint8Array,
    at: number,
    end: number,
    length: number,
    stream: number,
    side: Side,
  ): void {
    const fragments = this.#fragments[side]
    if (fragments === undefined || fragments.stream !== stream) {
      // Its beginning was missed, and with it what it did to the table.
      if (!this.#decoders[side].table.open) throw new Malformed('continuation of nothing')
      this.#decoders[side].lose()
      return
    }
    const { block, promised, endStream, time } = fragments
    block.append(bytes, at + HEADER, end, length)
    fragments.size += HEADER + length
    if ((bytes[at + 4] & FLAG.endHeaders) === 0) return
    this.#fragments[side] = undefined
    const whole = !block.truncated && !fragments.cut
    const joined = block.take() ?? new Uint8Array(0)
    this.#streams.time = time
    this.#streams.size = fragments.size
    const section = this.#section(joined, 0, whole ? joined.length : -1, stream, side)
    this.#take(section, stream, promised, endStream)
  }

  /** A whole header block; `end` is -1 where some of it is missing. */
  #section(bytes: Uint8Array, start: number, end: number, stream: number, side: Side): HeaderSection {
    const decoder = this.#decoders[side]
    if (side === 0 && stream > this.#opened) {
      if (stream === this.#expected) decoder.trust()
      this.#expected = 0
      this.#opened = stream
    }
    return end < 0 ? decoder.missing(side) : decoder.read(bytes, start, end, side)
  }

  #take(section: HeaderSection, stream: number, promised: number, endStream: boolean): void {
    if (promised > 0) this.#streams.promise(promised, section)
    else this.#streams.headers(stream, section, endStream)
  }

  #settings(bytes: Uint8Array, start: number, end: number, side: Side): void {
    for (let at = start; at + 6 <= end; at += 6) {
      const id = (bytes[at] << 8) | bytes[at + 1]
      // What one side can take bounds what the other sends.
      if (id === SETTING.maxFrameSize) {
        const other = side === 0 ? 1 : 0
        this.#largest[other] = Math.max(
          this.#largest[other],
          Math.min(numberAt(bytes, at + 2), MAX_FRAME_SIZE),
        )
      }
    }
  }
}
