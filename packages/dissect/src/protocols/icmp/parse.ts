import { Malformed } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { isRequest, requestOf } from './message.ts'

/** Type, code, checksum, and four bytes that depend on the type. */
export const HEADER = 8
/** Bytes kept of messages without an answer: enough for the headers of a quoted packet. */
const QUOTE = 256

/** ICMP (RFC 792) and ICMPv6 (RFC 4443) between two hosts: requests with their replies, all else alone. */
export class IcmpConversation implements Conversation {
  readonly #connection: Connection
  readonly #version: number

  constructor(connection: Connection) {
    this.#connection = connection
    this.#version = connection.flow.ends[0].ip.includes(':') ? 6 : 4
  }

  /** Datagrams are not asked. */
  frame(): number {
    return 0
  }

  decode({ bytes, start, end, length }: Frame): Message {
    if (end - start < HEADER) throw new Malformed('ICMP cut short')
    const { copy, limits } = this.#connection
    const type = bytes[start]
    const fields = { version: this.#version, length }
    const asked = requestOf(this.#version, type)
    if (asked < 0 && !isRequest(this.#version, type)) {
      const stop = Math.min(end, start + HEADER + QUOTE)
      return {
        kind: 'event',
        head: copy(bytes, start, stop),
        fields,
        ...(end - start < length ? { truncated: true } : {}),
      }
    }
    const stop = Math.min(end, start + HEADER + limits.body)
    const size = length - HEADER
    const kept = stop - start - HEADER
    return {
      kind: asked < 0 ? 'request' : 'response',
      key: keyOf(bytes, start, asked < 0 ? type : asked),
      head: copy(bytes, start, start + HEADER),
      ...(kept > 0 ? { body: copy(bytes, start + HEADER, stop) } : {}),
      ...(kept < size ? { bodySize: size, truncated: true } : {}),
      fields,
    }
  }
}

/** What is asked, identifier and sequence number (RFC 792): below 2^40. */
function keyOf(bytes: Uint8Array, start: number, asked: number): number {
  const id = (bytes[start + 4] << 8) | bytes[start + 5]
  const sequence = (bytes[start + 6] << 8) | bytes[start + 7]
  return asked * 2 ** 32 + id * 2 ** 16 + sequence
}
