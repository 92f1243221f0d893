import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Frame } from '../../../contract/dissector.ts'
import type { Message } from '../../../contract/message.ts'
import { AmqpCursor } from '../amqp-cursor.ts'
import { waitsForNothing } from './arguments.ts'
import { Awaited } from './awaited.ts'
import { Content } from './content.ts'
import { FRAME, FRAME_END, HEADER } from './frame.ts'
import { METHOD, type Method, methodId, methodOf } from './methods.ts'
import { hideSecret } from './secret.ts'

/** Contents of one side that may be under way at a time, each on a channel of its own. */
const MAX_CONTENTS = 256

type Draft = { -readonly [K in keyof Message]: Message[K] }

/** AMQP 0-9-1: methods of both sides, each on its channel. */
export class ClassicConversation {
  readonly #connection: Connection
  readonly #awaited: readonly [Awaited, Awaited]
  readonly #contents: readonly [Map<number, Content>, Map<number, Content>] = [new Map(), new Map()]

  /** Keys of closes that were emitted already, whose answers are of no interest. */
  readonly #emitted = new Set<string>()

  constructor(connection: Connection) {
    this.#connection = connection
    const { pending } = connection.limits
    this.#awaited = [new Awaited(0, pending), new Awaited(1, pending)]
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    const { bytes, start, end, length } = frame
    if (end - start === length && bytes[end - 1] !== FRAME_END) throw new Malformed('frame without its end')
    if (end - start < HEADER) return undefined
    const channel = (bytes[start + 1] << 8) | bytes[start + 2]
    const type = bytes[start]
    if (type === FRAME.METHOD) return this.#method(frame, side, channel)
    const content = this.#contents[side].get(channel)
    if (content === undefined || type === FRAME.HEARTBEAT) return undefined
    if (type === FRAME.HEADER) content.header(frame)
    else content.body(frame)
    if (!content.complete) return undefined
    this.#contents[side].delete(channel)
    return content.take()
  }

  /** What was under way on that side, as far as it came. */
  cut(side: Side): Message[] {
    const cut = [...this.#contents[side].values()].map((content) => content.take())
    this.#contents[side].clear()
    return cut
  }

  lost(side: Side): Message[] {
    this.#awaited[0].doubt()
    this.#awaited[1].doubt()
    return this.cut(side)
  }

  #method(frame: Frame, side: Side, channel: number): Message | readonly Message[] | undefined {
    const { bytes, start, end, length, time, endTime } = frame
    const stop = Math.min(end, start + length - 1)
    if (stop - start < HEADER + 4) {
      if (end - start === length) throw new Malformed('method without a name')
      return undefined
    }
    const at = start + HEADER
    const id = methodId((bytes[at] << 8) | bytes[at + 1], (bytes[at + 2] << 8) | bytes[at + 3])
    const method = methodOf(id)
    const head = this.#connection.copy(bytes, start, stop)
    const message: Draft = { kind: 'event', head, start: time, end: endTime, size: length }
    if (end - start < length) message.truncated = true
    const before = this.#interrupted(side, channel)
    if (method === undefined) return [...before, message]
    const user = hideSecret(head, method)
    if (user !== undefined) message.fields = { user }
    // A publisher's message that the broker could not take; a consumer that it put out.
    if (side === 1 && (id === METHOD.NACK || id === METHOD.CANCEL)) message.fields = { refused: true }
    const other = this.#awaited[side === 0 ? 1 : 0]
    if (method.answers !== undefined) {
      const key = other.answer(channel, method.answers)
      if (key !== undefined && this.#emitted.delete(key)) return before
      message.kind = 'response'
      message.key = key ?? `${channel}`
    } else if (method.asks && !this.#unanswered(head, method)) {
      message.kind = 'request'
      message.key = this.#awaited[side].ask(channel, id)
    }
    if (method.content) return this.#begin(side, channel, message, head, before)
    if (id === METHOD.CHANNEL_CLOSE || id === METHOD.CONNECTION_CLOSE)
      return [...before, ...this.#close(message, other, id === METHOD.CHANNEL_CLOSE ? channel : undefined)]
    return before.length === 0 ? message : [...before, message]
  }

  /**
   * A close is the answer to all that waits on its channel, or on all channels. One that reports an error is
   * for itself: many a peer hangs up without a word to it.
   */
  #close(message: Draft, other: Awaited, channel: number | undefined): Message[] {
    const answers: Message[] = other.closed(channel).map((key) => ({ ...message, kind: 'response', key }))
    const { key, head } = message
    if (head !== undefined && isError(head) && typeof key === 'string' && this.#emitted.size < MAX_CONTENTS) {
      this.#emitted.add(key)
      message.kind = 'event'
      delete message.key
    }
    return [...answers, message]
  }

  #begin(
    side: Side,
    channel: number,
    message: Message,
    head: Uint8Array,
    before: readonly Message[],
  ): Message | readonly Message[] | undefined {
    const contents = this.#contents[side]
    if (contents.size >= MAX_CONTENTS) return [...before, { ...message, truncated: true }]
    contents.set(channel, new Content(this.#connection, message, head.slice()))
    return before.length === 0 ? undefined : before
  }

  /** A method where the rest of a content should have been: that will not come any more. */
  #interrupted(side: Side, channel: number): readonly Message[] {
    const contents = this.#contents[side]
    const content = contents.get(channel)
    if (content === undefined) return NONE
    contents.delete(channel)
    return [content.take()]
  }

  #unanswered(head: Uint8Array, method: Method): boolean {
    try {
      return waitsForNothing(new AmqpCursor(head, HEADER + 4), method)
    } catch (error) {
      if (error instanceof Malformed) return false
      throw error
    }
  }
}

const NONE: readonly Message[] = []

/** Any reply code but 200, for which some clients write zero. */
function isError(head: Uint8Array): boolean {
  const code = (head[HEADER + 4] << 8) | head[HEADER + 5]
  return code !== 0 && code !== 200
}
