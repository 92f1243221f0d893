import { Malformed, type Side } from '@tapdeck/wire'
import { unlz4 } from '../../compression/lz4.ts'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { attempt } from './attempt.ts'
import { skipExtras } from './body-shape.ts'
import { unfold } from './compression.ts'
import { CqlCursor } from './cql-cursor.ts'
import { bodyLength, FLAG, HEADER, isHeader, streamOf } from './envelope.ts'
import { frameLength } from './frame.ts'
import { KIND, OPCODE } from './opcode.ts'
import { PreparedStatements } from './prepared.ts'
import { resync } from './probe.ts'
import { type Asked, type Facts, readRequest } from './request.ts'
import { isIntact, payloadEnd, type Segment, segmentAt } from './segment.ts'
import { SplitMessage } from './split-message.ts'
import { Streams } from './streams.ts'

/** What is unfolded of a message besides what is kept of it: texts before the part that is. */
const BEFORE = 64 * 1024

/** Cassandra's native protocol, versions 3 to 5. */
export class CassandraConversation implements Conversation {
  readonly #connection: Connection
  readonly #prepared: PreparedStatements
  readonly #streams = new Streams()
  /** Of each side, a message that comes in several segments. */
  readonly #split: readonly [SplitMessage, SplitMessage]
  /** What STARTUP asked for. */
  #compression: string | undefined
  /** What USE chose. */
  #keyspace: string | undefined

  constructor(connection: Connection) {
    this.#connection = connection
    this.#prepared = new PreparedStatements(connection)
    this.#split = [new SplitMessage(connection), new SplitMessage(connection)]
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    return frameLength(bytes, start, end, side)
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    const { bytes, start, end, length } = frame
    if (end - start < HEADER) return undefined
    const segment = segmentAt(bytes, start)
    return segment === undefined
      ? this.#message(bytes, start, end, length, side)
      : this.#segment(frame, segment, side)
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    return resync(bytes, start, end, side)
  }

  lost(side: Side): Message | undefined {
    return this.#unfinished(side)
  }

  finish(side: Side): Message | undefined {
    return this.#unfinished(side)
  }

  #segment(frame: Frame, segment: Segment, side: Side): readonly Message[] | undefined {
    const { bytes, start, end, length } = frame
    const from = start + segment.header
    const stop = payloadEnd(start, end, segment)
    if (end - start === length && !isIntact(bytes, from, end)) throw new Malformed('segment of another sum')
    if (segment.compressed) this.#compression = 'lz4'
    if (segment.unfolded === 0)
      return this.#payload(bytes, from, stop, length - 4 - segment.header, segment, side)
    const unfolded = unlz4(bytes, from, stop, segment.unfolded)
    if (unfolded === undefined) throw new Malformed('no LZ4 block')
    return this.#payload(unfolded, 0, unfolded.length, segment.unfolded, segment, side)
  }

  /** `bytes[start, end)` is what there is of a payload of `length` bytes. */
  #payload(
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
    { selfContained }: Segment,
    side: Side,
  ): readonly Message[] | undefined {
    const split = this.#split[side]
    if (!selfContained) {
      split.append(bytes, start, end, length, side)
      if (!split.complete) return undefined
      const whole = this.#unfinished(side)
      return whole === undefined ? undefined : [whole]
    }
    const messages: Message[] = []
    const before = this.#unfinished(side)
    if (before !== undefined) messages.push(before)
    for (let at = start; at + HEADER <= end; ) {
      if (!isHeader(bytes, at, end, side)) throw new Malformed('no message in a segment')
      const size = HEADER + bodyLength(bytes, at)
      const message = this.#message(bytes, at, Math.min(end, at + size), size, side)
      message.size = size
      messages.push(message)
      at += size
    }
    return messages.length === 0 ? undefined : messages
  }

  /** What has come of a message in several segments, however much that is. */
  #unfinished(side: Side): Message | undefined {
    const split = this.#split[side]
    const { length } = split
    const bytes = split.take()
    return bytes === undefined || bytes.length < HEADER
      ? undefined
      : this.#message(bytes, 0, bytes.length, length, side)
  }

  #message(bytes: Uint8Array, start: number, end: number, length: number, side: Side): Message {
    const version = bytes[start] & 0x7f
    const flags = bytes[start + 1]
    const opcode = bytes[start + 4]
    const stream = streamOf(bytes, start)
    const facts: Facts = { opcode, version, stream }
    if (flags !== 0) facts.flags = flags
    let body = bytes
    let from = start + HEADER
    let stop = end
    let size = length - HEADER
    // In version 5 segments are compressed, not messages.
    if ((flags & FLAG.COMPRESSED) !== 0 && version < 5) {
      const most = this.#connection.limits.body + BEFORE
      const unfolded = unfold(bytes, from, end, most, this.#compression)
      facts.compression = unfolded?.algorithm ?? this.#compression ?? 'unknown'
      if (unfolded === undefined) facts.unreadable = true
      body = unfolded?.bytes ?? bytes
      from = unfolded === undefined ? end : 0
      stop = unfolded?.bytes.length ?? end
      size = unfolded?.size ?? size
    } else if (version === 5 && this.#compression !== undefined) facts.compression = this.#compression
    const cursor = new CqlCursor(body, from, stop)
    return side === 0 ? this.#request(cursor, facts, size) : this.#response(cursor, facts, size)
  }

  #request(cursor: CqlCursor, facts: Facts, size: number): Message {
    const { opcode, stream } = facts
    const asked: Asked = { kept: cursor.at, facts }
    if (this.#keyspace !== undefined) facts.keyspace = this.#keyspace
    const from = cursor.at
    attempt(() => {
      skipExtras(Number(opcode), Number(facts.flags ?? 0), cursor)
      if (opcode === OPCODE.STARTUP) this.#begin(cursor)
      else readRequest(Number(opcode), cursor, asked, this.#connection, this.#prepared)
    })
    this.#prepared.asked(Number(stream), opcode === OPCODE.PREPARE ? asked.head : undefined)
    const kept = asked.kept < 0 ? cursor.end : asked.kept
    const secret = asked.kept < 0
    return this.#keep('request', cursor, kept, secret ? 0 : size - (kept - from), facts, asked.head)
  }

  #begin(cursor: CqlCursor): void {
    const { at } = cursor
    this.#compression = cursor.stringMap().COMPRESSION?.toLowerCase()
    cursor.at = at
  }

  #response(cursor: CqlCursor, facts: Facts, size: number): Message {
    const { opcode, stream } = facts
    const from = cursor.at
    attempt(() => {
      skipExtras(Number(opcode), Number(facts.flags ?? 0), cursor)
      if (opcode === OPCODE.ERROR) facts.code = cursor.int()
      else if (opcode === OPCODE.RESULT) this.#result(cursor, facts)
    })
    // Authentication messages of the server.
    const secret = opcode === OPCODE.AUTH_CHALLENGE || opcode === OPCODE.AUTH_SUCCESS
    const kind = opcode === OPCODE.EVENT || Number(stream) < 0 ? 'event' : 'response'
    return this.#keep(kind, cursor, secret ? cursor.end : from, secret ? 0 : size, facts)
  }

  #result(cursor: CqlCursor, facts: Facts): void {
    const kind = cursor.int()
    facts.kind = kind
    if (kind === KIND.PREPARED)
      facts.id = this.#prepared.answered(Number(facts.stream), cursor.bytes, cursor.at, cursor.end)
    else if (kind === KIND.SET_KEYSPACE) this.#keyspace = cursor.string()
  }

  #keyOf(kind: 'request' | 'response', stream: number): number {
    return kind === 'request' ? this.#streams.asked(stream) : this.#streams.answered(stream)
  }

  #keep(
    kind: Message['kind'],
    { bytes, end }: CqlCursor,
    start: number,
    size: number,
    facts: Facts,
    head?: Uint8Array,
  ): Message {
    const { copy, limits } = this.#connection
    const stop = Math.min(end, start + limits.body)
    const { cut, ...fields } = facts
    const missing = stop - start < size
    return {
      kind,
      ...(kind === 'event' ? {} : { key: this.#keyOf(kind, Number(facts.stream)) }),
      ...(head === undefined ? {} : { head }),
      ...(stop > start ? { body: copy(bytes, start, stop) } : {}),
      ...(missing ? { bodySize: size } : {}),
      ...(missing || cut === true ? { truncated: true } : {}),
      fields: cut === true ? fields : facts,
    }
  }
}
