import type { Side } from '@tapdeck/wire'
import { draftMessage, type FieldValue, type MessageDraft } from '../../contract/message.ts'
import type { Body } from '../../message/body.ts'
import type { MessageCounter } from '../grpc/message-counter.ts'

/** What one side says on a stream. */
export class StreamSide {
  head: Uint8Array | undefined
  /** A body that came in one frame, and one that came in several. */
  whole: Uint8Array | undefined
  body: Body | undefined
  /** Counts gRPC messages, where it is gRPC. */
  counter: MessageCounter | undefined
  fields: { [name: string]: FieldValue } | undefined
  start = -1
  end = 0
  /** Bytes on the wire that were not emitted yet. */
  size = 0
  /** The engine knows of it. */
  emitted = false
  ended = false
  /** Some of it is missing. */
  cut = false

  get begun(): boolean {
    return this.start >= 0
  }

  arrived(time: number, endTime: number, size: number): void {
    if (this.start < 0) this.start = time
    this.end = endTime
    this.size += size
  }

  note(name: string, value: FieldValue): void {
    this.fields ??= {}
    this.fields[name] = value
  }

  /** The message to emit now; `more`: its end is still to come. */
  message(key: number, side: Side, protocol: string, more: boolean): MessageDraft {
    const message = draftMessage(side === 0 ? 'request' : 'response', this.emitted ? undefined : this.head)
    message.key = key
    message.protocol = protocol
    if (more) message.more = true
    else this.#conclude(message)
    message.start = this.start
    message.end = this.end
    message.size = this.size
    this.size = 0
    this.emitted = true
    return message
  }

  #conclude(message: MessageDraft): void {
    const { counter, body } = this
    if (counter !== undefined) {
      this.note('messages', counter.count)
      if (counter.lost) this.note('messages_lost', true)
    }
    if (this.whole !== undefined) message.body = this.whole
    else if (body !== undefined) {
      const { size, truncated } = body
      const kept = body.take()
      if (kept !== undefined) message.body = kept
      if (size > (kept?.length ?? 0)) message.bodySize = size
      if (truncated) message.truncated = true
    }
    if (this.cut) message.truncated = true
    if (this.fields !== undefined) message.fields = this.fields
  }
}

/** One request and its response: RFC 9113 §8.1. */
export class Stream {
  readonly id: number
  readonly sides = [new StreamSide(), new StreamSide()] as const
  /** Empty while the headers that would say it are not known. */
  protocol = ''

  constructor(id: number) {
    this.id = id
  }

  get over(): boolean {
    return this.sides[0].ended && this.sides[1].ended
  }
}
