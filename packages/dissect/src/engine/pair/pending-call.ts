import { type Message, redraft } from '../../contract/message.ts'
import { Arena, own } from '../../memory/arena.ts'
import { DatagramMessage } from '../../message/datagram-message.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { PlainMessage } from '../../message/plain-message.ts'

/** Checks after which a request counts as waiting for long. */
const LONG_WAIT_CHECKS = 3

/** Shared by pending requests: memory of its own would cost three times the size of each. */
const waitingArena = new Arena()

/** A request that waits for its response. */
export class PendingCall {
  request: Message
  response: Message | undefined
  /** Already emitted without a response. A late response is emitted as a call of its own. */
  timedOut = false
  /** Bytes reserved from the budget. */
  cost = 0
  /** Index in its queue. */
  place = 0
  /** How often `expire` found it pending. */
  #checks = 0

  constructor(request: Message) {
    this.request = request
  }

  get key(): number | string | undefined {
    return this.request.key
  }

  /** Both messages are complete. */
  get complete(): boolean {
    return this.response !== undefined && !this.response.more && !this.request.more
  }

  /** Without a response, or with only a part of one. */
  get open(): boolean {
    return this.response === undefined || this.response.more === true
  }

  /**
   * Moves the bytes out of the packet arena: first to an arena of pending requests, and later to memory of their own,
   * so that one request that waits for hours does not keep a slab alive.
   */
  detach(): void {
    const checks = ++this.#checks
    if (checks === 1) this.request = moved(this.request, (bytes) => waitingArena.copy(bytes, 0, bytes.length))
    else if (checks === LONG_WAIT_CHECKS) this.request = moved(this.request, own)
  }
}

function moved(message: Message, copy: (bytes: Uint8Array) => Uint8Array): Message {
  const same = redraft(message)
  if (same.head !== undefined) same.head = copy(same.head)
  if (same.body !== undefined) same.body = copy(same.body)
  return same
}

/** Approximate memory of a message besides its head and body, in bytes. */
export const MESSAGE_OVERHEAD = 384

export function messageCost(message: Message): number {
  if (message instanceof PlainMessage || message instanceof DatagramMessage)
    return message.headEnd - message.headAt
  if (message instanceof PlacedMessage) return message.byteLength
  return (message.head?.length ?? 0) + (message.body?.length ?? 0)
}

/** A message whose last part never came. */
export function asTruncated(message: Message): Message {
  if (!message.more) return message
  const whole = redraft(message)
  whole.more = undefined
  whole.truncated = true
  return whole
}

/** A message whose body the budget did not allow. */
export function withoutBody(message: Message): Message {
  const { body } = message
  if (body === undefined) return message
  const rest = redraft(message)
  rest.body = undefined
  rest.bodySize ??= body.length
  rest.truncated = true
  return rest
}
