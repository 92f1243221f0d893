import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection } from '../../contract/dissector.ts'
import { copyOf } from '../../memory/arena.ts'
import type { Streams } from '../http2/streams.ts'
import { FRAME, type FrameHandler, FrameParser, varint, varintLength } from './frame-parser.ts'
import type { FieldDecoder } from './qpack/field-decoder.ts'

/** RFC 9204 §5. */
const QPACK_MAX_TABLE_CAPACITY = 1
/** Bytes of a stream that wait for insertions. */
const MAX_WAITING_BYTES = 256 * 1024
/** What a part that waits takes beside its bytes. */
const OVERHEAD = 256
/** Sections of one stream that wait. Messages have few: informational ones, a head and trailers. */
const MAX_WAITS = 4
/** Streams of one side that wait. Decoders allow 100 or fewer: RFC 9204 §2.1.2. */
const MAX_WAITING_STREAMS = 256

export interface RequestStreamContext {
  /** Number of the stream; -1: the control stream of that side. */
  readonly id: number
  readonly side: Side
  readonly streams: Streams
  readonly decoder: FieldDecoder
  /** The streams of that side that wait for insertions. */
  readonly waiting: Set<RequestStream>
  /** How much the other side may insert. */
  allow(capacity: number): void
}

/** One direction of a request stream, or a control stream: RFC 9114 §6. */
export class RequestStream implements FrameHandler {
  readonly id: number
  readonly side: Side
  readonly #context: RequestStreamContext
  readonly #connection: Connection
  readonly #parser: FrameParser
  /** A section whose insertions have not come yet, and the bytes behind it. */
  #section: Uint8Array | undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #waits = 0
  #hasEnded = false

  constructor(connection: Connection, context: RequestStreamContext) {
    this.#connection = connection
    this.#context = context
    this.#parser = new FrameParser(connection.budget)
    this.id = context.id
    this.side = context.side
  }

  get isWaiting(): boolean {
    return this.#section !== undefined
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.isWaiting) {
      this.#wait(bytes, start, end)
      return
    }
    const stop = this.#parser.read(bytes, start, end, this)
    if (stop < end) this.#wait(bytes, stop, end)
  }

  /** The sender has ended the stream. */
  end(): void {
    this.#hasEnded = true
    if (!this.isWaiting) this.#finish()
  }

  /** Tries again to read the section that waits. */
  resume(): void {
    const section = this.#section
    if (section === undefined || this.#context.decoder.isBlocked(section, 0, section.length)) return
    this.#continue(section)
  }

  /** The insertions will not come any more. */
  giveUpWaiting(): void {
    if (!this.isWaiting) return
    // Nor will those of the sections behind this one.
    this.#waits = MAX_WAITS
    this.#continue(undefined)
  }

  drop(): void {
    this.#stopWaiting()
    this.#parser.drop()
  }

  data(bytes: Uint8Array, start: number, end: number): void {
    if (this.id >= 0) this.#context.streams.data(this.id, bytes, start, end, end - start, false)
  }

  block(type: number, bytes: Uint8Array | undefined): boolean {
    if (this.id < 0) {
      if (type === FRAME.settings && bytes !== undefined) this.#settings(bytes)
      return true
    }
    if (type !== FRAME.headers) return true
    if (bytes !== undefined && this.#mustWait(bytes)) return false
    this.#headers(bytes)
    return true
  }

  /** Whether that section waits from now on. If too many do, it is read without what it refers to. */
  #mustWait(section: Uint8Array): boolean {
    const { decoder, waiting } = this.#context
    const { length } = section
    if (length === 0 || !decoder.isBlocked(section, 0, length)) return false
    if (this.#waits >= MAX_WAITS || waiting.size >= MAX_WAITING_STREAMS) return false
    if (!this.#connection.budget.take(length + OVERHEAD)) return false
    this.#waits++
    this.#waitingBytes += length + OVERHEAD
    this.#section = section
    waiting.add(this)
    return true
  }

  #stopWaiting(): void {
    this.#connection.budget.give(this.#waitingBytes)
    this.#waitingBytes = 0
    this.#waiting = []
    this.#section = undefined
    this.#context.waiting.delete(this)
  }

  #headers(bytes: Uint8Array | undefined): void {
    const { streams, decoder } = this.#context
    let section = bytes === undefined ? decoder.missing(this.side) : undefined
    try {
      section ??= decoder.read(bytes ?? new Uint8Array(0), 0, bytes?.length ?? 0, this.side)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      section = decoder.missing(this.side)
    }
    streams.headers(this.id, section, false)
  }

  #continue(section: Uint8Array | undefined): void {
    const waiting = this.#waiting
    this.#stopWaiting()
    this.#headers(section)
    for (const bytes of waiting) this.add(bytes, 0, bytes.length)
    if (this.#hasEnded && !this.isWaiting) this.#finish()
  }

  #finish(): void {
    if (this.id >= 0) this.#context.streams.data(this.id, new Uint8Array(0), 0, 0, 0, true)
  }

  #wait(bytes: Uint8Array, start: number, end: number): void {
    if (start === end) return
    const cost = end - start + OVERHEAD
    if (this.#waitingBytes + cost > MAX_WAITING_BYTES || !this.#connection.budget.take(cost)) {
      this.giveUpWaiting()
      this.add(bytes, start, end)
      return
    }
    this.#waitingBytes += cost
    this.#waiting.push(copyOf(bytes, start, end))
  }

  /** Pairs of numbers: RFC 9114 §7.2.4. */
  #settings(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const valueAt = at + varintLength(bytes[at])
      if (valueAt >= bytes.length || valueAt + varintLength(bytes[valueAt]) > bytes.length) return
      if (varint(bytes, at) === QPACK_MAX_TABLE_CAPACITY) this.#context.allow(varint(bytes, valueAt))
      at = valueAt + varintLength(bytes[valueAt])
    }
  }
}
