import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import { draftMessage, type Message } from '../../contract/message.ts'
import { lineLength, nextLine } from './frame.ts'

/** Queries are answered in order, so messages need no key. */
export class IdentConversation implements Conversation {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number): number {
    return lineLength(bytes, start, end)
  }

  decode({ bytes, start, end }: Frame, side: Side): Message {
    const digit = bytes[start]
    if (digit < 0x30 || digit > 0x39) throw new Malformed('no port')
    return draftMessage(side === 0 ? 'request' : 'response', this.#connection.copy(bytes, start, end))
  }

  resync(bytes: Uint8Array, start: number, end: number): number {
    return nextLine(bytes, start, end)
  }
}
