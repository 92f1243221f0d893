import { Arena, own } from '../arena.ts'
import { DatagramMessage } from '../datagram-message.ts'
import { type Message, redraft } from '../message.ts'
import { PlacedMessage } from '../placed-message.ts'
import { PlainMessage } from '../plain-message.ts'

/** Looks at what waits after which a request is taken to wait for very long. */
const LONG = 3

/** Where those are that wait for a while. Memory of its own costs each of them three times what it has to say. */
const aside = new Arena()

/** A request on its way to becoming a call. */
export class Waiting {
  request: Message
  response: Message | undefined
  /** Its response came later than patience allowed, if it comes at all; it was emitted without. */
  givenUp = false
  /** Bytes of the budget that it holds. */
  weight = 0
  /** Where it stands in its queue. */
  place = 0
  /** How often it was found still waiting. */
  #looks = 0

  constructor(request: Message) {
    this.request = request
  }

  get key(): number | string | undefined {
    return this.request.key
  }

  /** Both halves are here to the end. */
  get complete(): boolean {
    return this.response !== undefined && !this.response.more && !this.request.more
  }

  /** Still lacks a response, or a part of one. */
  get open(): boolean {
    return this.response === undefined || this.response.more === true
  }

  /**
   * Takes the bytes out of where packets are, because they stay: at first to others that wait, which mostly leave at about
   * the same time, and then, lest one that waits for hours keeps the memory of many, to memory of their own.
   */
  detach(): void {
    const looks = ++this.#looks
    if (looks === 1) this.request = moved(this.request, (bytes) => aside.copy(bytes, 0, bytes.length))
    else if (looks === LONG) this.request = moved(this.request, own)
  }
}

function moved(message: Message, copy: (bytes: Uint8Array) => Uint8Array): Message {
  const same = redraft(message)
  if (same.head !== undefined) same.head = copy(same.head)
  if (same.body !== undefined) same.body = copy(same.body)
  return same
}

/** Bytes that a request or response takes besides those of its head and body, about. */
export const BURDEN = 384

export function weigh(message: Message): number {
  if (message instanceof PlainMessage || message instanceof DatagramMessage)
    return message.headEnd - message.headAt
  if (message instanceof PlacedMessage) return message.weight
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
