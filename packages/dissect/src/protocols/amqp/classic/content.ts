import { Malformed } from '@tapdeck/wire'
import type { Connection, Frame } from '../../../contract/dissector.ts'
import type { Message } from '../../../contract/message.ts'
import { Body } from '../../../message/body.ts'
import { HEADER } from './frame.ts'

/** A method whose content header and body are still on their way: AMQP 0-9-1 §4.2.6. */
export class Content {
  readonly #connection: Connection
  readonly #message: Message
  readonly #body: Body
  #head: Uint8Array
  #expected = -1
  #size: number
  #end: number
  #cut: boolean

  constructor(connection: Connection, message: Message, head: Uint8Array) {
    this.#connection = connection
    this.#message = message
    this.#head = head
    this.#body = new Body(connection)
    this.#size = message.size ?? 0
    this.#end = message.end ?? 0
    this.#cut = message.truncated === true
  }

  get complete(): boolean {
    return this.#expected >= 0 && this.#body.size >= this.#expected
  }

  /** The content header: its contents follow the method in the head. */
  header({ bytes, start, end, length, endTime }: Frame): void {
    this.#size += length
    this.#end = endTime
    const stop = Math.min(end, start + length - 1)
    const from = start + HEADER
    if (stop - from < 12 || this.#expected >= 0) {
      this.#cut = true
      return
    }
    if (end - start < length) this.#cut = true
    let expected = 0
    for (let at = from + 4; at < from + 12; at++) expected = expected * 256 + bytes[at]
    if (!Number.isSafeInteger(expected)) throw new Malformed('impossible size of a content')
    this.#expected = expected
    const extra = stop - from
    if (!this.#connection.budget.take(extra)) {
      this.#cut = true
      return
    }
    const joined = new Uint8Array(this.#head.length + extra)
    joined.set(this.#head)
    joined.set(bytes.subarray(from, stop), this.#head.length)
    this.#connection.budget.give(extra)
    this.#head = joined
  }

  body({ bytes, start, end, length, endTime }: Frame): void {
    this.#size += length
    this.#end = endTime
    const stop = Math.min(end, start + length - 1)
    this.#body.append(bytes, Math.min(start + HEADER, stop), stop, length - HEADER - 1)
  }

  /** The whole message, or what there is of it. */
  take(): Message {
    const body = this.#body
    const short = !this.complete || body.truncated || this.#cut
    const size = Math.max(body.size, this.#expected)
    const kept = body.take()
    return {
      ...this.#message,
      head: this.#head,
      end: this.#end,
      size: this.#size,
      ...(kept === undefined ? {} : { body: kept }),
      ...(size > (kept?.length ?? 0) ? { bodySize: size } : {}),
      ...(short ? { truncated: true } : {}),
    }
  }
}
