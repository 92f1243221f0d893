import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { Streams } from '../http2/streams.ts'
import { CHUNK, chunkLength, readChunk, type StreamChunk } from '../quic/stream-chunk.ts'
import { EncoderStream } from './encoder-stream.ts'
import { errorName } from './error-code.ts'
import { varint, varintLength } from './frame-parser.ts'
import { FieldDecoder } from './qpack/field-decoder.ts'
import { RequestStream } from './request-stream.ts'

/** RFC 9114 §6.2, RFC 9204 §4.2: what the first number of a unidirectional stream says. */
const STREAM = { control: 0, encoder: 2 } as const
const MAX_VARINT = 8

/** One direction of a stream that is read. */
type StreamReader = RequestStream | EncoderStream

/** A unidirectional stream of which not even the type is there whole. */
interface UntypedStream {
  readonly head: Uint8Array
  length: number
}

/** HTTP/3, both sides: RFC 9114. It gets the streams of a QUIC connection as chunks. Each stream becomes a call of HTTP. */
export class Http3Conversation implements Conversation {
  readonly #connection: Connection
  readonly #streams: Streams
  readonly #decoders: readonly [FieldDecoder, FieldDecoder]
  readonly #readers = new Map<number, StreamReader>()
  readonly #untyped = new Map<number, UntypedStream>()
  readonly #waiting: readonly [Set<RequestStream>, Set<RequestStream>] = [new Set(), new Set()]
  /** Which sides have begun their control and encoder streams. */
  readonly #begun = new Set<string>()
  /** Streams of other kinds. */
  readonly #skipped = new Set<number>()

  constructor(connection: Connection) {
    this.#connection = connection
    this.#streams = new Streams(connection)
    this.#streams.whole()
    this.#decoders = [new FieldDecoder(connection), new FieldDecoder(connection)]
  }

  frame(bytes: Uint8Array, start: number, end: number): number {
    return chunkLength(bytes, start, end)
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    const { bytes, start, end, time, endTime, length } = frame
    const streams = this.#streams
    streams.speak(side, time)
    streams.time = time
    streams.endTime = endTime
    streams.size = length
    this.#chunk(bytes, readChunk(bytes, start, end), side)
    streams.emitBegun()
    return streams.takeEmitted()
  }

  finish(side: Side): Message | readonly Message[] | undefined {
    const streams = this.#streams
    streams.speak(side, 0)
    for (const stream of [...this.#waiting[side]]) stream.giveUpWaiting()
    streams.finish()
    return streams.takeEmitted()
  }

  #chunk(bytes: Uint8Array, chunk: StreamChunk, side: Side): void {
    const { id, flags } = chunk
    if ((flags & CHUNK.reset) !== 0) {
      const error = new DataView(bytes.buffer, bytes.byteOffset + chunk.start).getFloat64(0)
      if (isRequest(id)) this.#streams.reset(id, errorName(error))
      this.#close(id, side)
      return
    }
    const key = keyOf(id, side)
    if ((flags & CHUNK.gap) !== 0) this.#lose(key, side)
    try {
      const [reader, at] = this.#readerOf(key, id, side, bytes, chunk.start, chunk.end)
      if (reader !== undefined) this.#feed(reader, side, bytes, at, chunk.end)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      this.#lose(key, side)
    }
    if ((flags & CHUNK.last) === 0) return
    const reader = this.#readers.get(key)
    if (reader instanceof RequestStream) reader.end()
    else if (isRequest(id)) this.#streams.data(id, bytes, 0, 0, 0, true)
    if (!(reader instanceof RequestStream) || !reader.isWaiting) this.#close(id, side)
  }

  #feed(reader: StreamReader, side: Side, bytes: Uint8Array, start: number, end: number): void {
    reader.add(bytes, start, end)
    if (reader instanceof EncoderStream) this.#resume(side)
  }

  /** Insertions have come that sections may have waited for. */
  #resume(side: Side): void {
    for (const stream of [...this.#waiting[side]]) stream.resume()
  }

  #readerOf(
    key: number,
    id: number,
    side: Side,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): readonly [StreamReader | undefined, number] {
    const known = this.#readers.get(key)
    if (known !== undefined || this.#skipped.has(key)) return [known, start]
    if (isRequest(id)) return [this.#add(key, this.#requestStream(id, side)), start]
    // Only the client opens streams in both directions.
    if ((id & 2) === 0) return [this.#skip(key), end]
    const untyped = this.#untyped.get(key) ?? this.#addUntyped(key)
    for (let at = start; at < end; ) {
      untyped.head[untyped.length++] = bytes[at++]
      if (untyped.length < varintLength(untyped.head[0])) continue
      this.#untyped.delete(key)
      return [this.#typed(key, varint(untyped.head, 0), side), at]
    }
    return [undefined, end]
  }

  #addUntyped(key: number): UntypedStream {
    const [oldest] = this.#untyped.keys()
    if (oldest !== undefined && this.#untyped.size >= this.#connection.limits.pending) {
      this.#untyped.delete(oldest)
      this.#skip(oldest)
    }
    const untyped = { head: new Uint8Array(MAX_VARINT), length: 0 }
    this.#untyped.set(key, untyped)
    return untyped
  }

  #typed(key: number, type: number, side: Side): StreamReader | undefined {
    // A side has one of each: RFC 9114 §6.2.1, RFC 9204 §4.2. They are kept as long as the connection, so more are not read.
    const name = `${type} ${side}`
    if ((type !== STREAM.encoder && type !== STREAM.control) || this.#begun.has(name)) return this.#skip(key)
    this.#begun.add(name)
    if (type === STREAM.encoder)
      return this.#add(key, new EncoderStream(this.#decoders[side], this.#connection.budget))
    return this.#add(key, this.#requestStream(-1, side))
  }

  #requestStream(id: number, side: Side): RequestStream {
    return new RequestStream(this.#connection, {
      ...{ id, side, streams: this.#streams, decoder: this.#decoders[side], waiting: this.#waiting[side] },
      // What one side can keep bounds what the other inserts.
      allow: (capacity) => this.#decoders[side === 0 ? 1 : 0].allow(capacity),
    })
  }

  #add<Reader extends StreamReader>(key: number, reader: Reader): Reader {
    const { pending } = this.#connection.limits
    if (this.#readers.size >= 4 * pending) {
      for (const [oldest, one] of this.#readers) {
        if (one instanceof EncoderStream || one.id < 0) continue
        one.drop()
        this.#readers.delete(oldest)
        break
      }
    }
    this.#readers.set(key, reader)
    return reader
  }

  #skip(key: number): undefined {
    if (this.#skipped.size >= this.#connection.limits.pending) this.#skipped.clear()
    this.#skipped.add(key)
  }

  /** Bytes of that stream are missing, and with them where the next frame begins. */
  #lose(key: number, side: Side): void {
    const reader = this.#readers.get(key)
    if (reader instanceof EncoderStream) {
      reader.lose()
      this.#resume(side)
    } else reader?.drop()
    this.#readers.delete(key)
    this.#untyped.delete(key)
    this.#skip(key)
    this.#streams.lose(side)
  }

  #close(id: number, side: Side): void {
    const key = keyOf(id, side)
    const reader = this.#readers.get(key)
    if (reader instanceof RequestStream) reader.drop()
    this.#readers.delete(key)
    this.#untyped.delete(key)
    this.#skipped.delete(key)
  }
}

/** RFC 9000 §2.1: opened by the client, in both directions. */
function isRequest(id: number): boolean {
  return id % 4 === 0
}

function keyOf(id: number, side: Side): number {
  return id * 2 + side
}
