import { Malformed } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { attributeKind } from './attribute.ts'
import { codeName, HEADER, isRequest, MAX_SIZE, walk } from './packet.ts'
import { hideVendorSecrets, VENDOR_SPECIFIC } from './vendor.ts'

/** A request that was sent and not answered yet. */
interface Sent {
  /** The beginning of its authenticator: what is the same again is sent anew. */
  readonly mark: number
  repeated: number
}

/** RADIUS: RFC 2865, 2866, 5176. Each packet is a datagram; an answer has its request's identifier, of one byte. */
export class RadiusConversation implements Conversation {
  readonly #connection: Connection
  /** By identifier, so 256 at the most. */
  readonly #sent = new Map<number, Sent>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(): number {
    throw new Malformed('no stream')
  }

  decode({ bytes, start, end, length }: Frame): Message | undefined {
    if (end - start < HEADER) throw new Malformed('packet shorter than a header')
    const code = bytes[start]
    const key = bytes[start + 1]
    const size = (bytes[start + 2] << 8) | bytes[start + 3]
    if (codeName(code) === undefined) throw new Malformed('unknown code')
    if (size < HEADER || size > MAX_SIZE || size > length) throw new Malformed('length of a packet')
    const stop = Math.min(end, start + size)
    const cut = stop - start < size
    if (!cut) walk(bytes, start + HEADER, stop, () => undefined)
    const mark =
      (bytes[start + 4] << 24) | (bytes[start + 5] << 16) | (bytes[start + 6] << 8) | bytes[start + 7]
    const repeated = isRequest(code) ? this.#ask(key, mark) : this.#answer(key)
    if (repeated === undefined) return undefined
    const head = this.#connection.copy(bytes, start, stop)
    hideSecrets(head)
    return {
      kind: isRequest(code) ? 'request' : 'response',
      key,
      head,
      size,
      ...(cut ? { truncated: true } : {}),
      ...(repeated > 0 ? { fields: { retransmissions: repeated } } : {}),
    }
  }

  /** Undefined where the same request was sent before: it is one call, however often it had to be sent. */
  #ask(key: number, mark: number): number | undefined {
    const sent = this.#sent.get(key)
    if (sent?.mark === mark) {
      sent.repeated++
      return undefined
    }
    this.#sent.set(key, { mark, repeated: 0 })
    return 0
  }

  #answer(key: number): number {
    const repeated = this.#sent.get(key)?.repeated ?? 0
    this.#sent.delete(key)
    return repeated
  }
}

/** Passwords go over the wire veiled by a shared secret, which may be weak: they are not kept. */
function hideSecrets(head: Uint8Array): void {
  try {
    walk(head, HEADER, head.length, (type, from, to) => {
      if (attributeKind(type) === 'secret') head.fill(0, from, to)
      else if (type === VENDOR_SPECIFIC) hideVendorSecrets(head.subarray(from, to))
    })
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}
