import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../dissector.ts'
import { draftMessage, type Message } from '../../message.ts'
import { lineLength, nextLine } from './frame.ts'

/** Both sides of a connection. Queries are answered in order, so that no key is needed. */
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
