import type { Message } from '../contract/message.ts'
import { latin1 } from '../text/text.ts'
import { DatagramMessage } from './datagram-message.ts'
import { PlacedMessage } from './placed-message.ts'
import { PlainMessage } from './plain-message.ts'

/** Where the head or the body of a message is: `bytes[start, end)`. Found without a view of it, which costs as much as reading it. */
export class HeadPlace {
  bytes: Uint8Array = new Uint8Array(0)
  start = 0
  end = 0

  /** Returns false if there is none. */
  findHead(message: Message): boolean {
    if (
      message instanceof PlacedMessage ||
      message instanceof PlainMessage ||
      message instanceof DatagramMessage
    )
      return this.#set(message.headIn, message.headAt, message.headEnd)
    const { head } = message
    return this.#set(head, 0, head === undefined ? 0 : head.length)
  }

  findBody(message: Message): boolean {
    if (message instanceof PlacedMessage) return this.#set(message.bodyIn, message.bodyAt, message.bodyEnd)
    const { body } = message
    return this.#set(body, 0, body === undefined ? 0 : body.length)
  }

  /** A character for each byte. */
  text(): string {
    return latin1(this.bytes, this.start, this.end)
  }

  #set(bytes: Uint8Array | undefined, start: number, end: number): boolean {
    if (bytes === undefined || end <= start) return false
    this.bytes = bytes
    this.start = start
    this.end = end
    return true
  }
}
