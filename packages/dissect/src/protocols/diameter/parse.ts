import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { AvpReader } from './avp.ts'
import { avpKind } from './dictionary.ts'
import { FLAG, frameLength, HEADER, uint32 } from './frame.ts'
import { probe } from './probe.ts'

const MAX_DEPTH = 8

/** Diameter over TCP or SCTP: RFC 6733. Either side asks; an answer has its request's hop-by-hop identifier. */
export class DiameterConversation implements Conversation {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number): number {
    return frameLength(bytes, start, end)
  }

  keep(): number {
    return this.#connection.limits.body
  }

  decode({ bytes, start, end, length }: Frame): Message {
    if (end - start < HEADER) throw new Malformed('message shorter than a header')
    const size = frameLength(bytes, start, end)
    if (size > length) throw new Malformed('length of a message')
    const head = this.#connection.copy(
      bytes,
      start,
      Math.min(end, start + size, start + this.#connection.limits.body),
    )
    hideSecrets(new AvpReader(head), 0)
    return {
      kind: bytes[start + 4] & FLAG.request ? 'request' : 'response',
      key: uint32(bytes, start + 12),
      head,
      ...(head.length < size ? { truncated: true } : {}),
    }
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    for (let at = start; at < end; at++)
      if (bytes[at] === 1 && probe(bytes, at, end, side) === 'yes') return at
    return -1
  }
}

/** Writes over passwords and keys before they are kept; the bytes are a copy of our own. */
function hideSecrets(avps: AvpReader, depth: number): void {
  while (avps.next()) {
    const kind = avpKind(avps.code, avps.vendor)
    if (kind === 'secret') avps.bytes.fill(0, avps.from, avps.to)
    else if (kind === 'grouped' && depth < MAX_DEPTH) hideSecrets(avps.inside(), depth + 1)
  }
}
