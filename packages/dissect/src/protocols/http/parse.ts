import type { Side } from '@tapdeck/wire'
import { Body } from '../../body.ts'
import { headerValue } from '../../content/headers.ts'
import { ANY_PROTOCOL, type Connection, type Conversation, type Frame, UNTIL_CLOSE } from '../../dissector.ts'
import { draftMessage, type Handoff, type Message, redraft } from '../../message.ts'
import { PlacedMessage } from '../../placed-message.ts'
import { latin1 } from '../../text.ts'
import { cutHead } from './cut-head.ts'
import { checkStart, emptyLines, readChunkLine, resync, trailerLength } from './frame.ts'
import { FramingHeaders } from './framing-headers.ts'
import { ASKED, afterRequest, afterResponse } from './phase.ts'
import { methodEnd, pathEnd, probedEnd } from './probe.ts'
import { quickHead, readQuickly } from './quick-head.ts'
import { spokenAsType } from './spoken-as.ts'
import { marksOf } from './start-line.ts'
import { idleTalk, keepTalk, leaveTalk, type Talk } from './talk.ts'

/** Holds what the head says that was measured last: between `frame` and `decode` of one head nothing else is read. */
const headers = new FramingHeaders()

const LONGEST_TRAILER = 8 * 1024
type HttpDecoded = ReturnType<Conversation['decode']>

/** Empty lines before a message are not its beginning. */
const NOTHING_BEGUN: readonly Message[] = []
const MOST_INFORMATIONAL = 16

/** HTTP/1.0 and 1.1, both sides: RFC 9112. */
export class HttpConversation implements Conversation {
  readonly #connection: Connection
  /** None while that side is at rest. */
  #client: Talk | undefined
  #server: Talk | undefined
  /** Requests whose response has not begun, a letter each. */
  #asked = ''
  /** The client asked for another protocol: what it says next depends on the answer. */
  #awaiting = false
  #informational: number[] | undefined
  /** Head of a request that asked for another protocol. */
  #upgradeHead: Uint8Array | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const talk = this.#talk(side)
    switch (talk.phase) {
      case 'head': {
        const length = this.#headLength(talk, bytes, start, end, side)
        if (length === 0) this.#settle(talk, side)
        return length
      }
      case 'length':
        return talk.length
      case 'close':
        return UNTIL_CLOSE
      case 'chunk':
        readChunkLine(bytes, start, end, talk)
        if (talk.lineLength === 0) return 0
        return talk.chunkSize === 0 ? talk.lineLength : talk.lineLength + talk.chunkSize + talk.lineBreak
      case 'trailer':
        return trailerLength(bytes, start, end)
    }
  }

  keep(side: Side): number {
    const { phase, body, lineLength, chunkSize } = this.#talk(side)
    const ceiling = this.#connection.limits.body
    if (phase === 'length' || phase === 'close') return ceiling
    if (phase === 'chunk') return lineLength + Math.min(chunkSize, body?.room ?? ceiling)
    return UNTIL_CLOSE
  }

  decode(frame: Frame, side: Side): HttpDecoded {
    const talk = this.#talk(side)
    try {
      return this.#decode(talk, frame, side)
    } finally {
      this.#settle(talk, side)
    }
  }

  #decode(talk: Talk, frame: Frame, side: Side): HttpDecoded {
    switch (talk.phase) {
      case 'head':
        return this.#head(talk, frame, side)
      case 'length':
      case 'close':
        return this.#whole(talk, frame, side)
      case 'chunk':
        this.#chunk(talk, frame)
        return undefined
      case 'trailer': {
        const { bytes, start, end } = frame
        if (end - start > 2)
          talk.fields = {
            ...talk.fields,
            trailers: latin1(bytes, start, Math.min(end, start + LONGEST_TRAILER)),
          }
        return this.#complete(talk, side, talk.head, false)
      }
    }
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    return resync(bytes, start, end, side)
  }

  lost(side: Side, rest: Uint8Array): Message | undefined {
    // Which response belongs to which request is no longer certain.
    this.#asked = ''
    this.#awaiting = false
    if (side === 1) this.#informational = undefined
    return this.finish(side, rest)
  }

  finish(side: Side, rest: Uint8Array): Message | undefined {
    const talk = this.#talk(side)
    talk.scanned = 0
    talk.checked = 0
    const last =
      talk.phase === 'head'
        ? cutHead(rest, side, this.#connection.copy)
        : this.#complete(talk, side, talk.head, talk.phase !== 'close')
    this.#settle(talk, side)
    return last
  }

  #talk(side: Side): Talk {
    return (side === 0 ? this.#client : this.#server) ?? idleTalk()
  }

  /** A side keeps where it is while that matters, and no longer. */
  #settle(talk: Talk, side: Side): void {
    const isKept = talk !== idleTalk()
    if (isKept !== talk.isAtRest) return
    if (isKept) leaveTalk(talk)
    const kept = isKept ? undefined : keepTalk()
    if (side === 0) this.#client = kept
    else this.#server = kept
  }

  /** The head; with its body where all of that stands in the same bytes, which most messages do. */
  #headLength(talk: Talk, bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (side === 0 && this.#awaiting) return 0
    let length: number
    if (talk.scanned === 0) {
      length = readQuickly(bytes, start, end, side)
      if (length > 0) {
        headers.takeQuick(side)
        talk.checked = 0
        if (side === 0) {
          talk.marks = marksOf(bytes, start, start + quickHead.methodEnd, start + quickHead.pathEnd)
          talk.mayNameGraphql = quickHead.mayNameGraphql
        }
        return this.#measured(talk, length, end - start, side)
      }
      const empty = emptyLines(bytes, start, end)
      if (empty > 0) {
        talk.headLength = 0
        return empty
      }
      checkStart(bytes, start, end, side)
      length = headers.scan(bytes, start, end, side === 0 ? probedEnd : start)
    } else {
      length = headers.scanRest(bytes, start, end, talk.scanned)
      // An unfinished head is looked at again only when it has doubled, or dripping bytes would cost their square.
      if (length > 0 || end - start >= 2 * talk.checked) checkStart(bytes, start, end, side)
    }
    if (length <= 0) {
      talk.scanned = 0 - length
      talk.checked = Math.max(talk.checked, end - start)
      return 0
    }
    talk.scanned = 0
    talk.checked = 0
    headers.read(bytes, start, start + length, side, methodEnd - start)
    if (side === 0) {
      talk.marks = marksOf(bytes, start, methodEnd, pathEnd)
      talk.mayNameGraphql = true
    }
    return this.#measured(talk, length, end - start, side)
  }

  /** The head was read, and is the first of `present` bytes. Returns how long the frame is. */
  #measured(talk: Talk, length: number, present: number, side: Side): number {
    talk.headLength = length
    talk.next = side === 0 ? afterRequest(headers) : afterResponse(headers, this.#nextAsked())
    talk.length = talk.next === 'length' ? headers.contentLength : 0
    return (
      length + (talk.length <= Math.min(present - length, this.#connection.limits.body) ? talk.length : 0)
    )
  }

  #head(talk: Talk, frame: Frame, side: Side): HttpDecoded {
    const { headLength } = talk
    if (headLength === 0) return NOTHING_BEGUN
    if (headers.ambiguous !== '') talk.fields = { ambiguous: headers.ambiguous }
    return side === 0 ? this.#request(talk, frame) : this.#response(talk, frame)
  }

  #headOf({ headLength }: Talk, { bytes, start, end }: Frame): Uint8Array {
    return this.#connection.copy(bytes, start, Math.min(end, start + headLength))
  }

  /** What the next response answers; undefined: nothing that is known. */
  #nextAsked(): string | undefined {
    const asked = this.#asked
    return asked.length === 0 ? undefined : asked[0]
  }

  #request(talk: Talk, frame: Frame): Message | undefined {
    const { method, upgrade } = headers
    talk.typeStart = headers.typeStart
    talk.typeEnd = headers.typeEnd
    const asked =
      method === 'HEAD'
        ? ASKED.head
        : method === 'CONNECT'
          ? ASKED.connect
          : upgrade !== ''
            ? ASKED.upgrade
            : ASKED.plain
    const before = this.#asked
    if (before.length === 0) this.#asked = asked
    else if (before.length < this.#connection.limits.pending) this.#asked = before + asked
    if (asked === ASKED.connect || asked === ASKED.upgrade) {
      this.#awaiting = true
      this.#upgradeHead = this.#headOf(talk, frame)
    }
    if (isAll(talk, frame)) return this.#wholeRequest(talk, frame)
    talk.phase = talk.next
    // The head goes ahead of its body: an impatient server may answer before it has all of it.
    const { fields } = talk
    const head = this.#headOf(talk, frame)
    talk.ahead = head
    talk.fields = undefined
    const message = draftMessage('request', head)
    message.marks = talk.marks
    message.fields = fields
    message.more = true
    return message
  }

  #response(talk: Talk, frame: Frame): Message | Handoff | undefined {
    const { status } = headers
    if (status < 200 && status !== 101) {
      this.#informational = [...(this.#informational ?? []), status].slice(0, MOST_INFORMATIONAL)
      return undefined
    }
    const asked = this.#nextAsked()
    this.#asked = this.#asked.length > 1 ? this.#asked.slice(1) : ''
    if (this.#informational !== undefined) {
      talk.fields = { ...talk.fields, informational: this.#informational }
      talk.headTime = frame.time
      this.#informational = undefined
    }
    if (status === 101) return this.#upgraded(talk, this.#headOf(talk, frame))
    if (asked === ASKED.connect && status < 300) {
      const message = this.#complete(talk, 1, this.#headOf(talk, frame), false)
      return { kind: 'handoff', to: ANY_PROTOCOL, message }
    }
    if (asked === ASKED.connect || asked === ASKED.upgrade || this.#asked.length === 0) this.#awaiting = false
    if (isAll(talk, frame)) {
      const message = this.#placed('response', talk, frame)
      // A 100 Continue before it must not count as its beginning.
      if (talk.headTime !== undefined) {
        message.start = talk.headTime
        talk.headTime = undefined
      }
      return message
    }
    talk.phase = talk.next
    talk.head = this.#headOf(talk, frame)
    return undefined
  }

  #wholeRequest(talk: Talk, frame: Frame): Message {
    const { typeStart, typeEnd, marks } = talk
    const message = this.#placed('request', talk, frame)
    const { headIn, headAt, bodyIn, bodyAt, bodyEnd } = message
    message.marks = marks
    message.note = headers.method
    if (headIn === undefined || (headers.method === 'GET' && !talk.mayNameGraphql)) return message
    const spoken = spokenAsType(headIn, headAt, typeStart, typeEnd, marks, bodyIn, bodyAt, bodyEnd)
    if (spoken === undefined) return message
    const other = redraft(message)
    other.protocol = spoken
    return other
  }

  /** A message that stands in the frame with all that it has, which most do: none of it is looked at again. */
  #placed(kind: Message['kind'], talk: Talk, { bytes, start, end }: Frame): PlacedMessage {
    const { arena } = this.#connection
    const message = new PlacedMessage(kind)
    const at = arena.place(bytes, start, end)
    const stop = at + Math.min(end - start, talk.headLength)
    message.placeHead(arena.placed, at, stop)
    if (at + end - start > stop) message.placeBody(arena.placed, stop, at + end - start)
    if (talk.fields !== undefined) {
      message.fields = talk.fields
      talk.fields = undefined
    }
    return message
  }

  #upgraded(talk: Talk, head: Uint8Array): Handoff {
    const { upgrade } = headers
    const request = this.#upgradeHead
    const extensions = headerValue(head, 'sec-websocket-extensions')
    const message = this.#complete(talk, 1, head, false)
    return {
      kind: 'handoff',
      to: upgrade === 'h2c' ? 'http2' : upgrade,
      context: {
        ...(request === undefined ? {} : { requestHead: request }),
        ...(extensions === undefined ? {} : { extensions }),
      },
      message,
    }
  }

  #chunk(talk: Talk, { bytes, start, end }: Frame): void {
    const { lineLength, chunkSize } = talk
    if (chunkSize === 0) {
      talk.phase = 'trailer'
      return
    }
    talk.body ??= new Body(this.#connection)
    const from = Math.min(start + lineLength, end)
    talk.body.append(bytes, from, Math.min(from + chunkSize, end), chunkSize)
  }

  /** A body in one frame: straight out of the packet where it stands there whole. */
  #whole(talk: Talk, frame: Frame, side: Side): Message {
    const { limits, copy } = this.#connection
    const { bytes, start, length, unsent } = frame
    const end = Math.min(frame.end, start + limits.body)
    const body = end > start ? copy(bytes, start, end) : undefined
    return this.#complete(talk, side, talk.head, end - start < length, body, length - unsent)
  }

  #complete(
    talk: Talk,
    side: Side,
    head: Uint8Array | undefined,
    cut: boolean,
    whole?: Uint8Array,
    size: number = talk.body?.size ?? 0,
  ): Message {
    const { fields } = talk
    const truncated = cut || talk.body?.truncated === true
    const body = whole ?? talk.body?.take()
    const message = draftMessage(side === 0 ? 'request' : 'response', head, body)
    if (size > (body === undefined ? 0 : body.length)) message.bodySize = size
    if (truncated) message.truncated = true
    message.fields = fields
    if (side === 0) {
      const asked = head ?? talk.ahead
      if (head !== undefined) message.marks = talk.marks
      if (asked !== undefined)
        message.protocol = spokenAsType(
          asked,
          0,
          talk.typeStart,
          talk.typeEnd,
          talk.marks,
          body,
          0,
          body?.length ?? 0,
        )
      talk.ahead = undefined
    }
    // A 100 Continue before it must not count as its beginning.
    if (talk.headTime !== undefined) message.start = talk.headTime
    talk.phase = 'head'
    talk.head = undefined
    talk.headTime = undefined
    talk.fields = undefined
    talk.body = undefined
    return message
  }
}

/** All of the message stands in the frame. */
function isAll({ headLength, next }: Talk, { start, end }: Frame): boolean {
  return next === 'head' || end - start > headLength
}
