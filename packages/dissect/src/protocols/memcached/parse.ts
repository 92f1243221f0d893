import type { Side } from '@tapdeck/wire'
import { Malformed } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { BinaryTalk } from './binary.ts'
import { TextTalk } from './text.ts'

const UDP_HEADER = 8

/** Text or binary: a connection speaks one of them, and each frame shows which. */
export class MemcachedConversation implements Conversation {
  readonly #text: TextTalk
  readonly #binary: BinaryTalk
  readonly #datagrams: boolean
  #speaksBinary = false

  constructor(connection: Connection) {
    this.#datagrams = connection.flow.transport !== 'tcp'
    this.#text = new TextTalk(connection)
    this.#binary = new BinaryTalk(connection)
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (this.#text.uploads(side)) return this.#text.frame(bytes, start, end, side)
    if (start === end) return 0
    this.#speaksBinary = bytes[start] >= 0x80
    return this.#speaksBinary
      ? this.#binary.frame(bytes, start, end, side)
      : this.#text.frame(bytes, start, end, side)
  }

  keep(side: Side): number {
    return this.#speaksBinary && !this.#text.uploads(side) ? this.#binary.keep() : this.#text.keep(side)
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    if (this.#datagrams) return this.#datagram(frame, side)
    return frame.bytes[frame.start] >= 0x80
      ? this.#binary.decode(frame, side)
      : this.#text.decode(frame, side)
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    return this.#speaksBinary
      ? this.#binary.resync(bytes, start, end, side)
      : this.#text.resync(bytes, start, end, side)
  }

  lost(side: Side): Message | undefined {
    this.#binary.lost(side)
    return this.#text.lost(side)
  }

  finish(side: Side): readonly Message[] | undefined {
    if (side === 0) return undefined
    return [...this.#text.finish(), ...this.#binary.finish()]
  }

  /** Each datagram has the id of its request, its own number and the count of all that belong to it before it. */
  #datagram(frame: Frame, side: Side): Message | undefined {
    const { bytes, start, end } = frame
    if (end - start === UDP_HEADER) return undefined
    if (end - start < UDP_HEADER) throw new Malformed('no datagram header')
    const id = (bytes[start] << 8) | bytes[start + 1]
    const number = (bytes[start + 2] << 8) | bytes[start + 3]
    const count = (bytes[start + 4] << 8) | bytes[start + 5]
    const at = start + UDP_HEADER
    if (number >= count || (side === 0 && number > 0)) throw new Malformed('no datagram number')
    const talk = number === 0 && bytes[at] >= 0x80 ? this.#binary : this.#text
    return talk.datagram(frame, at, side, id, number, number + 1 < count)
  }
}
