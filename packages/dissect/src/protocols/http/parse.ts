import type { Side } from '@tapdeck/wire'
import type { QuickHeads } from '../../accelerated/quick-heads.ts'
import { headerValue } from '../../content/headers.ts'
import {
  ANY_PROTOCOL,
  type Connection,
  type Conversation,
  type Frame,
  UNTIL_CLOSE,
} from '../../contract/dissector.ts'
import { draftMessage, type Handoff, type Message, redraft } from '../../contract/message.ts'
import { Body } from '../../message/body.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { latin1 } from '../../text/text.ts'
import { cutHead } from './cut-head.ts'
import { checkStart, emptyLines, readChunkLine, resync, trailerLength } from './frame.ts'
import { FramingHeaders } from './framing-headers.ts'
import { ASKED, afterRequest, afterResponse } from './phase.ts'
import { methodEnd, pathEnd, probedEnd } from './probe.ts'
import { idleState, keepState, releaseState, type SideState } from './side-state.ts'
import { protocolOf, readHead } from './spoken-as.ts'
import { marksOf } from './start-line.ts'

/** Holds what the head says that was measured last: between `frame` and `decode` of one head nothing else is read. */
const headers = new FramingHeaders()

const MAX_TRAILER_LENGTH = 8 * 1024
type HttpDecoded = ReturnType<Conversation['decode']>

/** Empty lines before a message are not its beginning. */
const NOTHING_BEGUN: readonly Message[] = []
const MAX_INFORMATIONAL = 16

/** HTTP/1.0 and 1.1, both sides: RFC 9112. */
export class HttpConversation implements Conversation {
  readonly #connection: Connection
  readonly #heads: QuickHeads
  /** None while that side is at rest. */
  #client: SideState | undefined
  #server: SideState | undefined
  /** Requests whose response has not begun, a letter each. */
  #asked = ''
  /** The client asked for another protocol: what it says next depends on the answer. */
  #awaiting = false
  #informational: number[] | undefined
  /** Head of a request that asked for another protocol. */
  #upgradeHead: Uint8Array | undefined

  constructor(connection: Connection) {
    this.#connection = connection
    this.#heads = connection.fastPaths.heads
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const state = this.#state(side)
    switch (state.phase) {
      case 'head': {
        const length = this.#headLength(state, bytes, start, end, side)
        if (length === 0) this.#settle(state, side)
        return length
      }
      case 'length':
        return state.length
      case 'close':
        return UNTIL_CLOSE
      case 'chunk':
        readChunkLine(bytes, start, end, state)
        if (state.lineLength === 0) return 0
        return state.chunkSize === 0 ? state.lineLength : state.lineLength + state.chunkSize + state.lineBreak
      case 'trailer':
        return trailerLength(bytes, start, end)
    }
  }

  keep(side: Side): number {
    const { phase, body, lineLength, chunkSize } = this.#state(side)
    const ceiling = this.#connection.limits.body
    if (phase === 'length' || phase === 'close') return ceiling
    if (phase === 'chunk') return lineLength + Math.min(chunkSize, body?.room ?? ceiling)
    return UNTIL_CLOSE
  }

  decode(frame: Frame, side: Side): HttpDecoded {
    const state = this.#state(side)
    try {
      return this.#decode(state, frame, side)
    } finally {
      this.#settle(state, side)
    }
  }

  #decode(state: SideState, frame: Frame, side: Side): HttpDecoded {
    switch (state.phase) {
      case 'head':
        return this.#head(state, frame, side)
      case 'length':
      case 'close':
        return this.#whole(state, frame, side)
      case 'chunk':
        this.#chunk(state, frame)
        return undefined
      case 'trailer': {
        const { bytes, start, end } = frame
        if (end - start > 2)
          state.fields = {
            ...state.fields,
            trailers: latin1(bytes, start, Math.min(end, start + MAX_TRAILER_LENGTH)),
          }
        return this.#complete(state, side, state.head, false)
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
    const state = this.#state(side)
    state.scanned = 0
    state.checked = 0
    const last =
      state.phase === 'head'
        ? cutHead(rest, side, this.#connection.copy)
        : this.#complete(state, side, state.head, state.phase !== 'close')
    this.#settle(state, side)
    return last
  }

  #state(side: Side): SideState {
    return (side === 0 ? this.#client : this.#server) ?? idleState()
  }

  /** A side keeps where it is while that matters, and no longer. */
  #settle(state: SideState, side: Side): void {
    const isKept = state !== idleState()
    if (isKept !== state.isAtRest) return
    if (isKept) releaseState(state)
    const kept = isKept ? undefined : keepState()
    if (side === 0) this.#client = kept
    else this.#server = kept
  }

  /** The head, with its body if all of it is in the same bytes, as in most messages. */
  #headLength(state: SideState, bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (side === 0 && this.#awaiting) return 0
    let length: number
    if (state.scanned === 0) {
      const heads = this.#heads
      length = heads.read(bytes, start, end, side)
      if (length > 0) {
        headers.takeQuick(heads, side)
        state.checked = 0
        if (side === 0) {
          state.marks = marksOf(bytes, start, start + heads.methodEnd, start + heads.pathEnd)
          state.mayNameGraphql = heads.mayNameGraphql
        }
        return this.#measured(state, length, end - start, side)
      }
      const empty = emptyLines(bytes, start, end)
      if (empty > 0) {
        state.headLength = 0
        return empty
      }
      checkStart(bytes, start, end, side)
      length = headers.scan(bytes, start, end, side === 0 ? probedEnd : start)
    } else {
      length = headers.scanRest(bytes, start, end, state.scanned)
      // An unfinished head is looked at again only when it has doubled, or dripping bytes would cost their square.
      if (length > 0 || end - start >= 2 * state.checked) checkStart(bytes, start, end, side)
    }
    if (length <= 0) {
      state.scanned = 0 - length
      state.checked = Math.max(state.checked, end - start)
      return 0
    }
    state.scanned = 0
    state.checked = 0
    headers.read(bytes, start, start + length, side, methodEnd - start)
    if (side === 0) {
      state.marks = marksOf(bytes, start, methodEnd, pathEnd)
      state.mayNameGraphql = true
    }
    return this.#measured(state, length, end - start, side)
  }

  /** The head was read, and is the first of `present` bytes. Returns how long the frame is. */
  #measured(state: SideState, length: number, present: number, side: Side): number {
    state.headLength = length
    state.next = side === 0 ? afterRequest(headers) : afterResponse(headers, this.#nextAsked())
    state.length = state.next === 'length' ? headers.contentLength : 0
    return (
      length + (state.length <= Math.min(present - length, this.#connection.limits.body) ? state.length : 0)
    )
  }

  #head(state: SideState, frame: Frame, side: Side): HttpDecoded {
    const { headLength } = state
    if (headLength === 0) return NOTHING_BEGUN
    const { ambiguous, malformed } = headers
    if (ambiguous !== '' || malformed !== '')
      state.fields = { ...(ambiguous !== '' && { ambiguous }), ...(malformed !== '' && { malformed }) }
    return side === 0 ? this.#request(state, frame) : this.#response(state, frame)
  }

  #headOf({ headLength }: SideState, { bytes, start, end }: Frame): Uint8Array {
    return this.#connection.copy(bytes, start, Math.min(end, start + headLength))
  }

  /** What the next response answers; undefined: nothing that is known. */
  #nextAsked(): string | undefined {
    const asked = this.#asked
    return asked.length === 0 ? undefined : asked[0]
  }

  #request(state: SideState, frame: Frame): Message | undefined {
    const { method, upgrade } = headers
    state.typeStart = headers.typeStart
    state.typeEnd = headers.typeEnd
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
      this.#upgradeHead = this.#headOf(state, frame)
    }
    if (isAll(state, frame)) return this.#wholeRequest(state, frame)
    state.phase = state.next
    // The head goes ahead of its body: an impatient server may answer before it has all of it.
    const { fields } = state
    const head = this.#headOf(state, frame)
    state.ahead = head
    state.fields = undefined
    const message = draftMessage('request', head)
    message.marks = state.marks
    message.fields = fields
    message.more = true
    return message
  }

  #response(state: SideState, frame: Frame): Message | Handoff | undefined {
    const { status } = headers
    if (status < 200 && status !== 101) {
      this.#informational = [...(this.#informational ?? []), status].slice(0, MAX_INFORMATIONAL)
      return undefined
    }
    const asked = this.#nextAsked()
    this.#asked = this.#asked.length > 1 ? this.#asked.slice(1) : ''
    if (this.#informational !== undefined) {
      state.fields = { ...state.fields, informational: this.#informational }
      state.headTime = frame.time
      this.#informational = undefined
    }
    if (status === 101) return this.#upgraded(state, this.#headOf(state, frame))
    if (asked === ASKED.connect && status < 300) {
      const message = this.#complete(state, 1, this.#headOf(state, frame), false)
      return { kind: 'handoff', to: ANY_PROTOCOL, message }
    }
    if (asked === ASKED.connect || asked === ASKED.upgrade || this.#asked.length === 0) this.#awaiting = false
    if (isAll(state, frame)) {
      const message = this.#placed('response', state, frame)
      // A 100 Continue before it must not count as its beginning.
      if (state.headTime !== undefined) {
        message.start = state.headTime
        state.headTime = undefined
      }
      return message
    }
    state.phase = state.next
    state.head = this.#headOf(state, frame)
    return undefined
  }

  #wholeRequest(state: SideState, frame: Frame): Message {
    const { typeStart, typeEnd, marks } = state
    const message = this.#placed('request', state, frame)
    const { headIn, headAt, bodyIn, bodyAt, bodyEnd } = message
    message.marks = marks
    message.note = headers.method
    if (headIn === undefined || (headers.method === 'GET' && !state.mayNameGraphql)) return message
    const head = readHead(headIn, headAt, typeStart, typeEnd, marks)
    const spoken = protocolOf(head, bodyIn, bodyAt, bodyEnd)
    if (spoken === undefined) return message
    const other = redraft(message)
    other.protocol = spoken
    return other
  }

  /** A message that is completely in the frame, as most are: none of it is read again. */
  #placed(kind: Message['kind'], state: SideState, { bytes, start, end }: Frame): PlacedMessage {
    const { arena } = this.#connection
    const message = new PlacedMessage(kind)
    const at = arena.place(bytes, start, end)
    const stop = at + Math.min(end - start, state.headLength)
    message.placeHead(arena.placed, at, stop)
    if (at + end - start > stop) message.placeBody(arena.placed, stop, at + end - start)
    if (state.fields !== undefined) {
      message.fields = state.fields
      state.fields = undefined
    }
    return message
  }

  #upgraded(state: SideState, head: Uint8Array): Handoff {
    const { upgrade } = headers
    const request = this.#upgradeHead
    const extensions = headerValue(head, 'sec-websocket-extensions')
    const message = this.#complete(state, 1, head, false)
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

  #chunk(state: SideState, { bytes, start, end }: Frame): void {
    const { lineLength, chunkSize } = state
    if (chunkSize === 0) {
      state.phase = 'trailer'
      return
    }
    state.body ??= new Body(this.#connection)
    const from = Math.min(start + lineLength, end)
    state.body.append(bytes, from, Math.min(from + chunkSize, end), chunkSize)
  }

  /** A body in one frame: directly from the packet if it is complete there. */
  #whole(state: SideState, frame: Frame, side: Side): Message {
    const { limits, copy } = this.#connection
    const { bytes, start, length, unsent } = frame
    const end = Math.min(frame.end, start + limits.body)
    const body = end > start ? copy(bytes, start, end) : undefined
    return this.#complete(state, side, state.head, end - start < length, body, length - unsent)
  }

  #complete(
    state: SideState,
    side: Side,
    head: Uint8Array | undefined,
    cut: boolean,
    whole?: Uint8Array,
    size: number = state.body?.size ?? 0,
  ): Message {
    const { fields } = state
    const truncated = cut || state.body?.truncated === true
    const body = whole ?? state.body?.take()
    const message = draftMessage(side === 0 ? 'request' : 'response', head, body)
    if (size > (body === undefined ? 0 : body.length)) message.bodySize = size
    if (truncated) message.truncated = true
    message.fields = fields
    if (side === 0) {
      const asked = head ?? state.ahead
      if (head !== undefined) message.marks = state.marks
      if (asked !== undefined)
        message.protocol = protocolOf(
          readHead(asked, 0, state.typeStart, state.typeEnd, state.marks),
          body,
          0,
          body?.length ?? 0,
        )
      state.ahead = undefined
    }
    // A 100 Continue before it must not count as its beginning.
    if (state.headTime !== undefined) message.start = state.headTime
    state.phase = 'head'
    state.head = undefined
    state.headTime = undefined
    state.fields = undefined
    state.body = undefined
    return message
  }
}

/** The frame has the complete message. */
function isAll({ headLength, next }: SideState, { start, end }: Frame): boolean {
  return next === 'head' || end - start > headLength
}
