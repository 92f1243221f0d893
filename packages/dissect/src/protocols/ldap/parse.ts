import { Malformed, type Side } from '@tapdeck/wire'
import { type Connection, type Conversation, type Frame, UNTIL_CLOSE } from '../../contract/dissector.ts'
import type { Handoff, Message } from '../../contract/message.ts'
import { BerReader } from './ber.ts'
import { ENUMERATED, type Envelope, INTEGER, OCTETS, openEnvelope, SEQUENCE } from './envelope.ts'
import { isRequest, OP, operationName, START_TLS } from './operation.ts'
import { probe } from './probe.ts'
import { Search } from './search.ts'
import { hideSecrets } from './secrets.ts'

/** Searches of one connection that are followed at a time. */
const MAX_SEARCHES = 128
const SASL = 0xa3
const SASL_IN_PROGRESS = 14

/** LDAP over TCP, and without a connection over UDP: RFC 4511. A request and what answers it share a message id. */
export class LdapConversation implements Conversation {
  readonly #connection: Connection
  readonly #searches = new Map<number, Search>()
  /** The StartTLS request under way: until it is answered, the protocol of the client's next bytes is unknown. */
  #starting: number | undefined
  /** The SASL bind under way. After it, or after a StartTLS whose answer was lost, all may be encrypted. */
  #sasl: number | undefined
  #veiled = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (end === start || (side === 0 && this.#starting !== undefined)) return 0
    if (bytes[start] !== SEQUENCE && this.#veiled) return UNTIL_CLOSE
    const reader = new BerReader(bytes, start, Number.MAX_SAFE_INTEGER, end)
    if (reader.take(SEQUENCE)) return reader.to - start
    if (bytes[start] !== SEQUENCE) throw new Malformed('no LDAP message')
    return 0
  }

  keep(): number {
    return this.#connection.limits.body
  }

  decode(frame: Frame, side: Side): readonly Message[] | Handoff | undefined {
    if (frame.length === UNTIL_CLOSE || (this.#veiled && frame.bytes[frame.start] !== SEQUENCE))
      return undefined
    if (this.#connection.flow.transport === 'tcp') return this.#message(frame, side)
    const messages: Message[] = []
    for (let at = frame.start; at < frame.end; ) {
      const reader = new BerReader(frame.bytes, at, Number.MAX_SAFE_INTEGER, frame.end)
      if (!reader.take(SEQUENCE)) throw new Malformed('no LDAP message')
      const end = Math.min(reader.to, frame.end)
      const read = this.#message({ ...frame, start: at, end, length: reader.to - at }, side)
      if (read !== undefined && 'length' in read) messages.push(...read)
      at = end
    }
    return messages
  }

  /** Where a message begins that this side could say. */
  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    for (let at = start; at < end; at++)
      if (bytes[at] === SEQUENCE && probe(bytes, at, end, side) === 'yes') return at
    return -1
  }

  lost(side: Side): undefined {
    if (this.#starting !== undefined) {
      this.#starting = undefined
      this.#veiled = true
    }
    if (side === 1) for (const search of this.#searches.values()) search.hasHole = true
  }

  finish(side: Side): readonly Message[] {
    if (side === 0) return []
    const cut = [...this.#searches].flatMap(([id, search]) => this.#cut(id, search))
    this.#searches.clear()
    return cut
  }

  #message(frame: Frame, side: Side): readonly Message[] | Handoff | undefined {
    const envelope = openEnvelope(frame.bytes, frame.start, frame.end)
    if (operationName(envelope.tag) === undefined) return [this.#unknown(frame, envelope)]
    if (isRequest(envelope.tag) !== (side === 0)) throw new Malformed('operation of the other side')
    return side === 0 ? this.#request(frame, envelope) : this.#response(frame, envelope)
  }

  /** What is well formed is shown even so: the server's answer to it is a notice, and the end. */
  #unknown(frame: Frame, { id, tag }: Envelope): Message {
    if ((tag & 0xc0) !== 0x40) throw new Malformed('no operation')
    return this.#whole('event', frame, id)
  }

  #request(frame: Frame, envelope: Envelope): readonly Message[] {
    const { id, tag, op } = envelope
    const before = this.#end(id)
    switch (tag) {
      case OP.unbindRequest:
        return [this.#whole('event', frame, id)]
      case OP.abandonRequest:
        return [...this.#end(op.number()), this.#whole('event', frame, id)]
      case OP.searchRequest:
        if (this.#searches.size < MAX_SEARCHES) this.#searches.set(id, new Search(this.#connection, true))
        break
      case OP.bindRequest: {
        const bind = op.inside()
        if (bind.take(INTEGER) && bind.take(OCTETS) && bind.take(SASL)) this.#sasl = id
        break
      }
      case OP.extendedReq: {
        const extended = op.inside()
        if (extended.take(0x80) && extended.text() === START_TLS) this.#starting = id
      }
    }
    return [...before, this.#whole('request', frame, id)]
  }

  #response(frame: Frame, envelope: Envelope): readonly Message[] | Handoff | undefined {
    const { id, tag } = envelope
    if (id === 0) return [this.#whole('event', frame, id)]
    if (tag === OP.searchResEntry || tag === OP.searchResRef || tag === OP.intermediateResponse)
      return this.#part(frame, id, tag)
    const message = this.#whole('response', frame, id)
    if (tag === OP.searchResDone || this.#searches.has(id)) return [this.#done(id, message)]
    if (tag === OP.bindResponse) this.#bound(envelope)
    if (id !== this.#starting) return [message]
    this.#starting = undefined
    return resultOf(envelope) === 0 ? { kind: 'handoff', to: 'tls', message } : [message]
  }

  /** The first part is emitted at once: the answer has begun. The others come with the last. */
  #part(frame: Frame, id: number, tag: number): readonly Message[] | undefined {
    let search = this.#searches.get(id)
    if (search === undefined) {
      if (this.#searches.size >= MAX_SEARCHES) return undefined
      search = new Search(this.#connection, false)
      this.#searches.set(id, search)
    }
    const first = !search.begun
    if (tag === OP.searchResEntry) search.entries++
    else if (tag === OP.searchResRef) search.references++
    search.add(frame)
    if (!first || !search.asked) return undefined
    return [{ kind: 'response', key: id, more: true, start: frame.time, end: frame.endTime, size: 0 }]
  }

  #done(id: number, last: Message): Message {
    const search = this.#searches.get(id)
    if (search === undefined) return last
    this.#searches.delete(id)
    const { entries, references, start, size } = search
    const message: Message = { ...last, ...search.take(), fields: { entries, references } }
    if (start !== undefined) message.start = start
    message.size = size + (last.size ?? 0)
    return last.truncated ? { ...message, truncated: true } : message
  }

  /** A search that will have no end: abandoned, or its number is used anew, or the connection is over. */
  #cut(id: number, search: Search): Message[] {
    if (!search.begun) {
      search.drop()
      return []
    }
    const { entries, references, start, size } = search
    const message: Message = {
      kind: 'response',
      from: 1,
      key: id,
      ...search.take(),
      truncated: true,
      fields: { entries, references },
      size,
    }
    if (start !== undefined) message.start = start
    return [message]
  }

  #end(id: number): Message[] {
    const search = this.#searches.get(id)
    if (search === undefined) return []
    this.#searches.delete(id)
    return this.#cut(id, search)
  }

  #bound(envelope: Envelope): void {
    if (envelope.id !== this.#sasl) return
    const result = resultOf(envelope)
    if (result !== SASL_IN_PROGRESS) this.#sasl = undefined
    if (result === 0) this.#veiled = true
  }

  #whole(kind: Message['kind'], { bytes, start, end, length, time, endTime }: Frame, id: number): Message {
    const head = this.#connection.copy(bytes, start, Math.min(end, start + this.#connection.limits.body))
    hideSecrets(head)
    return {
      kind,
      key: id,
      head,
      start: time,
      end: endTime,
      size: length,
      ...(head.length < length ? { truncated: true } : {}),
    }
  }
}

function resultOf({ op }: Envelope): number {
  const result = op.inside()
  return result.take(ENUMERATED) ? result.number() : -1
}
