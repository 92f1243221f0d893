import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Handoff, Message } from '../../contract/message.ts'
import * as classicFrame from './classic/frame.ts'
import { ClassicConversation } from './classic/parse.ts'
import * as modernFrame from './modern/frame.ts'
import { ModernConversation } from './modern/parse.ts'
import { isModernHeader, PROTOCOL_HEADER, startsHeader } from './protocol-header.ts'

const A = 0x41
const TLS = 2

/**
 * AMQP 0-9-1 and 1.0. The first byte of every frame shows which of the two: 0-9-1 begins with a type, 1.0 with
 * the highest byte of a size, which is zero.
 */
export class AmqpConversation implements Conversation {
  readonly #connection: Connection
  #classic: ClassicConversation | undefined
  #modern: ModernConversation | undefined
  /** The client's last header was one of 1.0, to which the server answers with its own. */
  #greeted = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number): number {
    if (start === end) return 0
    const first = bytes[start]
    if (first === A) {
      if (!startsHeader(bytes, start, end)) throw new Malformed('no protocol header')
      return PROTOCOL_HEADER
    }
    if (first === 0) {
      if (this.#classic !== undefined) throw new Malformed('a frame of 1.0 in 0-9-1')
      return modernFrame.frameLength(bytes, start, end)
    }
    if (this.#modern !== undefined) throw new Malformed('a frame of 0-9-1 in 1.0')
    return classicFrame.frameLength(bytes, start, end)
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | Handoff | undefined {
    const { bytes, start, end } = frame
    if (end === start) return undefined
    if (bytes[start] === A) return this.#header(frame, side)
    if (bytes[start] === 0) {
      this.#modern ??= new ModernConversation(this.#connection)
      return this.#modern.decode(frame, side)
    }
    this.#classic ??= new ClassicConversation(this.#connection)
    return this.#classic.decode(frame, side)
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (startsHeader(bytes, start, end) && end - start >= PROTOCOL_HEADER) return start
    const classic = this.#modern === undefined ? classicFrame.findFrame(bytes, start, end, side) : -1
    const modern = this.#classic === undefined ? modernFrame.findFrame(bytes, start, end, side) : -1
    return classic < 0 || (modern >= 0 && modern < classic) ? modern : classic
  }

  lost(side: Side): readonly Message[] | undefined {
    return emittable([...(this.#classic?.lost(side) ?? []), ...(this.#modern?.cut(side) ?? [])])
  }

  finish(side: Side): readonly Message[] | undefined {
    return emittable([...(this.#classic?.cut(side) ?? []), ...(this.#modern?.cut(side) ?? [])])
  }

  /** A server of 0-9-1 answers with its first method; with a header only where it refuses the client's. */
  #header({ bytes, start, end, length }: Frame, side: Side): Message | Handoff | undefined {
    if (end - start < length) return undefined
    const head = this.#connection.copy(bytes, start, end)
    const modern = isModernHeader(head)
    if (side === 0) {
      this.#greeted = modern
      return modern ? { kind: 'request', key: 'header', head } : { kind: 'event', head }
    }
    if (!this.#greeted) return { kind: 'event', head, fields: { refused: true } }
    this.#greeted = false
    const message: Message = { kind: 'response', key: 'header', head }
    return modern && head[4] === TLS ? { kind: 'handoff', to: 'tls', message } : message
  }
}

function emittable(messages: readonly Message[]): readonly Message[] | undefined {
  return messages.length === 0 ? undefined : messages
}
