import { own } from '../arena.ts'
import { type Message, redraft } from '../message.ts'

/** A request on its way to becoming a call. */
export class Waiting {
  readonly key: number | string | undefined
  request: Message
  response: Message | undefined
  /** Its response came later than patience allowed, if it comes at all; it was emitted without. */
  givenUp = false
  /** Bytes of the budget that it holds. */
  weight = 0
  /** Where it stands in its queue. */
  place = 0
  #detached = false

  constructor(request: Message) {
    this.key = request.key
    this.request = request
  }

  /** Both halves are here to the end. */
  get complete(): boolean {
    return this.response !== undefined && !this.response.more && !this.request.more
  }

  /** Still lacks a response, or a part of one. */
  get open(): boolean {
    return this.response === undefined || this.response.more === true
  }

  /** Takes the bytes out of the arena, because they will stay for long. */
  detach(): void {
    if (this.#detached) return
    this.#detached = true
    const request = redraft(this.request)
    if (request.head !== undefined) request.head = own(request.head)
    if (request.body !== undefined) request.body = own(request.body)
    this.request = request
  }
}

/** Bytes that a request or response takes besides those of its head and body, about. */
export const BURDEN = 384

export function weigh(message: Message): number {
  return (message.head?.length ?? 0) + (message.body?.length ?? 0)
}

/** A half whose last part never came. */
export function cut(message: Message): Message {
  if (!message.more) return message
  const whole = redraft(message)
  whole.more = undefined
  whole.truncated = true
  return whole
}

/** What is left of a half for which there was no room. */
export function withoutBody(message: Message): Message {
  const { body } = message
  if (body === undefined) return message
  const rest = redraft(message)
  rest.body = undefined
  rest.bodySize ??= body.length
  rest.truncated = true
  return rest
}
