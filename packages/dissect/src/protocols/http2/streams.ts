import type { Side } from '@tapdeck/wire'
import type { Connection } from '../../contract/dissector.ts'
import type { Message, MessageDraft } from '../../contract/message.ts'
import { Body } from '../../message/body.ts'
import { latin1 } from '../../text/text.ts'
import { MessageCounter } from '../grpc/message-counter.ts'
import { spokenAs } from '../http/spoken-as.ts'
import type { HeaderSection } from './hpack/header-section.ts'
import { Stream, type StreamSide } from './stream.ts'

const MAX_TRAILER_LENGTH = 8 * 1024
const MAX_INFORMATIONAL = 16
/** Streams that were cut off are remembered, since frames of theirs may still be under way. */
const MAX_CLOSED = 64

/** The streams of one connection: what the frames add up to. */
export class Streams {
  /** When the bytes of the present frame came, and how many they are. */
  time = 0
  endTime = 0
  size = 0
  readonly #connection: Connection
  readonly #streams = new Map<number, Stream>()
  readonly #closed = new Int32Array(MAX_CLOSED)
  #closedCount = 0
  /** Streams whose response began in the frames at hand. */
  readonly #begun: Stream[] = []
  readonly #emitted: Message[] = []
  #side: Side = 0
  /** Frames were missed, or the beginning was not seen yet: streams may appear whose beginning is not in the capture. */
  #holes = true
  /** Streams that were open when something was missed are given up at that time if nothing more comes of them. */
  #nextSweep = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** RFC 7540 §3.2: the request that asked for HTTP/2 is the first stream's. */
  upgrade(request: Uint8Array): void {
    const stream = new Stream(1)
    const [asked] = stream.sides
    asked.head = request
    asked.ended = true
    stream.protocol = spokenAs(request, undefined) ?? 'http'
    this.#streams.set(1, stream)
  }

  /** That side has the word. */
  speak(side: Side, time: number): void {
    this.#side = side
    clear(this.#emitted)
    if (this.#holes && time > this.#nextSweep) this.#sweep(time)
  }

  /** What became of it. */
  takeEmitted(): Message | readonly Message[] | undefined {
    const emitted = this.#emitted
    return emitted.length < 2 ? emitted[0] : emitted
  }

  /** Nothing was missed before this. */
  whole(): void {
    this.#holes = false
  }

  lose(side: Side): void {
    this.#holes = true
    for (const { sides } of this.#streams.values()) {
      const part = sides[side]
      if (part.ended || !part.begun) continue
      part.cut = true
      part.counter?.lose()
      if (part.body !== undefined) part.body.hasHole = true
    }
  }

  /** How many bytes of the body of that stream are wanted. */
  room(id: number, side: Side): number {
    const part = this.#streams.get(id)?.sides[side]
    if (part?.counter !== undefined) return Number.MAX_SAFE_INTEGER
    return part?.body?.room ?? this.#connection.limits.body
  }

  data(id: number, bytes: Uint8Array, start: number, end: number, length: number, last: boolean): void {
    const stream = this.#streams.get(id) ?? this.#unseen(id)
    if (stream === undefined) return
    const part = stream.sides[this.#side]
    if (part.ended) return
    part.arrived(this.time, this.endTime, this.size)
    if (length > 0) {
      part.counter?.feed(bytes, start, end, length)
      this.#keep(part, bytes, start, end, length, last)
    }
    if (last) this.#end(stream)
  }

  headers(id: number, section: HeaderSection, last: boolean): void {
    const stream = this.#streams.get(id) ?? this.#open(id, section)
    if (stream === undefined) return
    const part = stream.sides[this.#side]
    if (part.ended) return
    const { status, unknown, text } = section
    if (this.#side === 1 && status >= 100 && status < 200) {
      inform(part, status)
      part.size += this.size
      return
    }
    part.arrived(this.time, this.endTime, this.size)
    if (section.truncated) part.cut = true
    if (unknown > 0) part.note('unknown_headers', unknown + Number(part.fields?.unknown_headers ?? 0))
    if (part.head === undefined && (section.pseudo > 0 || unknown > 0)) this.#head(stream, part, section)
    else if (text.length > section.fields)
      part.note(
        'trailers',
        latin1(text, section.fields, Math.min(text.length, section.fields + MAX_TRAILER_LENGTH)),
      )
    if (last) this.#end(stream)
  }

  /** RFC 9113 §8.4: the server announces the request that it is about to answer. */
  promise(id: number, section: HeaderSection): void {
    const stream = new Stream(id)
    const [asked] = stream.sides
    asked.arrived(this.time, this.endTime, this.size)
    asked.head = section.text
    asked.ended = true
    asked.note('pushed', true)
    stream.protocol = 'http'
    this.#add(stream)
    this.#emitRequest(stream)
  }

  reset(id: number, reason: string): void {
    const stream = this.#streams.get(id) ?? (this.#side === 1 ? this.#unseen(id) : undefined)
    if (stream !== undefined) this.#cutOff(stream, reason, this.#side === 0 ? 'client' : 'server')
    else this.#remember(id)
  }

  /** RFC 9113 §6.8: streams of the client beyond `last` are not worked on any more. */
  goAway(last: number, reason: string): void {
    for (const stream of this.#streams.values())
      if (stream.id > last && (stream.id & 1) === 1) this.#cutOff(stream, `GOAWAY ${reason}`, 'server')
  }

  /** Emits responses that have begun and will take longer, so that their requests do not expire. */
  emitBegun(): void {
    for (const stream of this.#begun) {
      const [asked, answer] = stream.sides
      if (answer.ended || answer.emitted || !asked.emitted) continue
      this.#emit(stream, 1, true)
    }
    clear(this.#begun)
  }

  /** The side that has the word says nothing more. */
  finish(): void {
    for (const stream of this.#streams.values()) this.#breakOff(stream, this.#side)
  }

  #head(stream: Stream, part: StreamSide, section: HeaderSection): void {
    const asking = this.#side === 0
    const { hasContentType, isGrpc } = section
    part.head = section.text
    if (isGrpc) stream.protocol = 'grpc'
    else if (stream.protocol === '' && (!asking || section.unknown === 0 || hasContentType))
      stream.protocol = 'http'
    if (isGrpc || (stream.protocol !== 'http' && !hasContentType)) part.counter = new MessageCounter()
    if (asking) return
    this.#begun.push(stream)
    if (!stream.sides[0].emitted) this.#emitRequest(stream)
  }

  /** A stream that begins, or one that began before the capture. */
  #open(id: number, section: HeaderSection): Stream | undefined {
    const begins = this.#side === 0 && (section.isRequest || section.unknown > 0)
    if (!begins) return this.#unseen(id)
    return this.#isClosed(id) ? undefined : this.#add(new Stream(id))
  }

  #unseen(id: number): Stream | undefined {
    return this.#holes && !this.#isClosed(id) ? this.#add(new Stream(id)) : undefined
  }

  #add(stream: Stream): Stream {
    if (this.#streams.size >= this.#connection.limits.pending) {
      const [oldest] = this.#streams.values()
      this.#breakOff(oldest, 0)
      this.#breakOff(oldest, 1)
      this.#streams.delete(oldest.id)
      this.#remember(oldest.id)
    }
    this.#streams.set(stream.id, stream)
    return stream
  }

  /** Most bodies come in one frame: those are kept in one piece. */
  #keep(
    part: StreamSide,
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
    last: boolean,
  ): void {
    const { limits, copy } = this.#connection
    if (last && part.body === undefined && end - start === length && length <= limits.body) {
      part.whole = copy(bytes, start, end)
      return
    }
    part.body ??= new Body(this.#connection)
    if (part.cut) part.body.hasHole = true
    part.body.append(bytes, start, end, length)
  }

  /** The side that has the word has ended the stream. */
  #end(stream: Stream): void {
    stream.sides[this.#side].ended = true
    if (this.#side === 0) {
      if (stream.protocol !== '') this.#emitRequest(stream)
    } else this.#emitResponse(stream)
    if (stream.over) this.#streams.delete(stream.id)
  }

  #emitResponse(stream: Stream): void {
    const [asked] = stream.sides
    if (stream.protocol === '') stream.protocol = 'http'
    // What a request lacks of its end because it was missed will not come any more.
    if (asked.cut && !asked.ended) {
      asked.ended = true
      this.#remember(stream.id)
      this.#emitRequest(stream)
    } else if (!asked.emitted) this.#emitRequest(stream)
    this.#emit(stream, 1, false)
  }

  /** With all there is of it: to its end, or so that the response has something to belong to. */
  #emitRequest(stream: Stream): void {
    const [asked] = stream.sides
    if (!asked.begun) {
      if (asked.head === undefined) return
      // It came before HTTP/2 did.
      asked.start = this.endTime
      asked.end = this.endTime
    }
    if (stream.protocol === '') stream.protocol = 'http'
    if (stream.protocol === 'http') asked.counter = undefined
    const message = this.#emit(stream, 0, !asked.ended)
    if (!asked.ended || stream.protocol !== 'http' || asked.head === undefined) return
    const spoken = spokenAs(asked.head, message.body)
    if (spoken === undefined) return
    stream.protocol = spoken
    message.protocol = spoken
  }

  #emit(stream: Stream, side: Side, more: boolean): MessageDraft {
    const message = stream.sides[side].message(stream.id, side, stream.protocol, more)
    if (side !== this.#side) message.from = side
    this.#emitted.push(message)
    return message
  }

  #cutOff(stream: Stream, reason: string, by: string): void {
    const [asked, answer] = stream.sides
    if (stream.protocol === '') stream.protocol = 'http'
    if (!asked.ended || !asked.emitted) {
      if (!asked.ended) asked.cut = true
      asked.ended = true
      this.#emitRequest(stream)
    }
    if (!answer.ended) {
      answer.cut = answer.begun
      answer.ended = true
      answer.arrived(this.endTime, this.endTime, this.#side === 1 ? this.size : 0)
      answer.note('reset', reason)
      answer.note('reset_by', by)
      this.#emit(stream, 1, false)
    }
    this.#streams.delete(stream.id)
    this.#remember(stream.id)
  }

  /** Nothing more will come of that part. */
  #breakOff(stream: Stream, side: Side): void {
    const part = stream.sides[side]
    const pending = !part.ended || !part.emitted
    if (!part.ended) part.cut = true
    part.ended = true
    if (part.begun && pending) {
      if (side === 0) this.#emitRequest(stream)
      else this.#emitResponse(stream)
    }
    if (stream.over) this.#streams.delete(stream.id)
  }

  /** Streams that lost something and have been silent since: their end was probably in what was lost. */
  #sweep(now: number): void {
    const { patience } = this.#connection.limits
    this.#nextSweep = now + patience / 8
    for (const stream of this.#streams.values()) {
      const [asked, answer] = stream.sides
      if ((asked.cut || answer.cut) && now - Math.max(asked.end, answer.end) > patience) {
        this.#breakOff(stream, 0)
        this.#breakOff(stream, 1)
        this.#streams.delete(stream.id)
        this.#remember(stream.id)
      }
    }
  }

  #remember(id: number): void {
    this.#closed[this.#closedCount++ % MAX_CLOSED] = id
  }

  #isClosed(id: number): boolean {
    return this.#closedCount > 0 && this.#closed.includes(id)
  }
}

/** Setting the length is a call into the runtime, and there is one or none of them mostly. */
function clear(list: unknown[]): void {
  while (list.length > 0) list.pop()
}

function inform(part: StreamSide, status: number): void {
  const before = part.fields?.informational
  const statuses = Array.isArray(before) ? before : []
  if (statuses.length < MAX_INFORMATIONAL) part.note('informational', [...statuses, status])
}
