import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, DatagramReader, Frame } from '../../contract/dissector.ts'
import { draftMessage, type Message } from '../../contract/message.ts'
import { datagrams, isMulticast, keyAt, kindAt } from './datagram.ts'
import { frameLength, HEADER } from './frame.ts'
import { skipName } from './name.ts'
import { TYPE } from './names.ts'
import { Transfer } from './transfer.ts'

/** Zone transfers of one connection that are followed at a time. */
const MAX_TRANSFERS = 16

/** DNS over UDP or TCP: RFC 1035. */
export class DnsConversation implements Conversation {
  readonly #connection: Connection
  /** Undefined where it comes in a stream. */
  readonly #datagrams: DatagramReader | undefined
  readonly #multicast: boolean
  #transfers: Map<number, Transfer> | undefined

  constructor(connection: Connection) {
    this.#connection = connection
    this.#datagrams = connection.flow.transport === 'tcp' ? undefined : datagrams(connection.flow)
    this.#multicast = isMulticast(connection.flow)
  }

  frame(bytes: Uint8Array, start: number, end: number): number {
    return frameLength(bytes, start, end)
  }

  decode(frame: Frame): Message {
    const { arena, copy } = this.#connection
    if (this.#datagrams !== undefined) return this.#datagrams(frame, arena)
    const { bytes, end, length } = frame
    const start = frame.start + 2
    if (end - start < HEADER) throw new Malformed('message shorter than a header')
    const kind = kindAt(bytes, start)
    const id = keyAt(bytes, start)
    const message = draftMessage(this.#multicast ? 'event' : kind, copy(bytes, start, end))
    message.key = id
    if (end - frame.start < length) message.truncated = true
    return kind === 'response'
      ? this.#answer(id, message, bytes, start, end)
      : this.#query(id, message, bytes, start, end)
  }

  /** A length that leads to a header with a plausible question, and to the next such. */
  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    for (let at = start; at + 2 + HEADER + 5 <= end; at++) if (plausible(bytes, at, end, side)) return at
    return -1
  }

  lost(): undefined {
    this.#transfers = undefined
  }

  #query(id: number, message: Message, bytes: Uint8Array, start: number, end: number): Message {
    const type = questionType(bytes, start, end)
    if (type !== TYPE.AXFR && type !== TYPE.IXFR) return message
    this.#transfers ??= new Map()
    if (this.#transfers.size < MAX_TRANSFERS) this.#transfers.set(id, new Transfer(type === TYPE.IXFR))
    return message
  }

  /** The answer to a zone transfer comes in several messages: RFC 5936 §2.2. The first is the head, the rest a body. */
  #answer(id: number, message: Message, bytes: Uint8Array, start: number, end: number): Message {
    const transfer = this.#transfers?.get(id)
    if (transfer === undefined) return message
    const first = transfer.messages === 0
    const more = !message.truncated && transfer.add(bytes, start, end)
    if (!more) this.#transfers?.delete(id)
    const { head, ...rest } = message
    const part = first ? message : { ...rest, body: this.#connection.copy(bytes, start - 2, end) }
    return more ? { ...part, more } : part
  }
}

function questionType(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start + 5] === 0 && bytes[start + 4] === 0) return 0
  const at = skipName(bytes, start + HEADER, end)
  return at + 2 <= end ? (bytes[at] << 8) | bytes[at + 1] : 0
}

function plausible(bytes: Uint8Array, at: number, end: number, side: Side): boolean {
  const start = at + 2
  const length = (bytes[at] << 8) | bytes[at + 1]
  if (length < HEADER + 5 || bytes[start + 2] >= 0x80 !== (side === 1)) return false
  // One question, an opcode that is in use, and no reserved bit.
  if (
    (bytes[start + 2] & 0x78) > 0x30 ||
    bytes[start + 3] & 0x40 ||
    bytes[start + 4] !== 0 ||
    bytes[start + 5] !== 1
  )
    return false
  try {
    const name = skipName(bytes, start + HEADER, Math.min(end, start + length))
    return name + 4 <= Math.min(end, start + length) && bytes[name + 2] === 0 && bytes[name + 3] === 1
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}
