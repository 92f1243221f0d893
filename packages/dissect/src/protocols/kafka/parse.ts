import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { API } from './api-key.ts'
import { BodyReader } from './body-reader.ts'
import { BELIEVED, frameLength, int32, isLength, PREFIX } from './frame.ts'
import { type Header, readHeader } from './header.ts'
import { probe } from './probe.ts'
import { items } from './schema.ts'
import { schemas } from './schemas.ts'

/** Requests whose API is remembered until their response comes. */
const MAX_PENDING = 1024
const MAX_UNANSWERED = 16
const FLEXIBLE_PRODUCE = 9
/** How a Produce begins. */
const BEFORE_TIMEOUT = items('transactional_id:string@3- acks:int16')
/** Correlation id. */
const RESPONSE_HEADER = PREFIX + 4

type Facts = { [name: string]: FieldValue }

export class KafkaConversation implements Conversation {
  readonly #connection: Connection
  /** API and version by correlation id. */
  readonly #pending = new Map<number, number>()
  /** The last requests that want no answer; some servers give one all the same. */
  #unanswered: readonly number[] = []
  /** After version 0 of SaslHandshake tokens are exchanged without any header, until requests begin. */
  #tokens = false
  #awaited = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    return frameLength(bytes, start, end, this.#tokens ? 0 : side === 0 ? 8 : 4)
  }

  decode(frame: Frame, side: Side): Message | undefined {
    return side === 0 ? this.#request(frame) : this.#response(frame)
  }

  /** Requests are known by their looks, responses by the numbers that are waited for. */
  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    for (let at = start; at + RESPONSE_HEADER <= end; at++)
      if (side === 0 ? probe(bytes, at, end, side) === 'yes' : this.#answers(bytes, at, end)) return at
    return -1
  }

  #answers(bytes: Uint8Array, at: number, end: number): boolean {
    const length = int32(bytes, at)
    if (!isLength(length, 4) || length > BELIEVED || !this.#pending.has(int32(bytes, at + PREFIX)))
      return false
    const next = at + PREFIX + length
    return next + RESPONSE_HEADER > end || this.#pending.has(int32(bytes, next + PREFIX))
  }

  #request(frame: Frame): Message | undefined {
    const { bytes, start, end, length } = frame
    const header = readHeader(bytes, start, end)
    if (header === undefined || header === 'more') {
      if (this.#tokens) {
        this.#awaited = Math.min(this.#awaited + 1, MAX_PENDING)
        return { kind: 'request', fields: { token: true } }
      }
      if (end - start < length) return undefined
      throw new Malformed('no request header')
    }
    const { api, version, correlation, client } = header
    this.#tokens = api === API.SASL_HANDSHAKE && version === 0
    const facts: Facts = { api, version, correlation, ...(client === undefined ? {} : { client }) }
    Object.assign(facts, readBody(bytes, header.end, end, api, version, 'request'))
    if (api === API.PRODUCE) addAcks(bytes, header, end, facts)
    const unanswered = facts.acks === 0
    if (unanswered) this.#unanswered = [...this.#unanswered.slice(1 - MAX_UNANSWERED), correlation]
    else this.#remember(correlation, (api << 8) | version)
    return {
      ...(unanswered ? { kind: 'event' } : { kind: 'request', key: correlation }),
      ...this.#body(frame, header.end, api),
      fields: facts,
    }
  }

  #response(frame: Frame): Message | undefined {
    const { bytes, start, end } = frame
    if (this.#awaited > 0) {
      this.#awaited--
      return { kind: 'response', fields: { token: true } }
    }
    if (end - start < RESPONSE_HEADER) return undefined
    const correlation = int32(bytes, start + PREFIX)
    const asked = this.#pending.get(correlation)
    this.#pending.delete(correlation)
    if (asked === undefined && this.#unanswered.includes(correlation)) return undefined
    if (asked === undefined) return { kind: 'response', key: correlation, fields: { correlation } }
    const api = asked >> 8
    const version = asked & 0xff
    const facts: Facts = { api, version, correlation }
    Object.assign(facts, readBody(bytes, start + RESPONSE_HEADER, end, api, version, 'response'))
    return {
      kind: 'response',
      key: correlation,
      ...this.#body(frame, start + RESPONSE_HEADER, api),
      fields: facts,
    }
  }

  /** Credentials are not kept, nor bodies of unknown APIs, which may contain secrets. */
  #body(
    { bytes, start, end, length }: Frame,
    from: number,
    api: number,
  ): Pick<Message, 'body' | 'bodySize' | 'truncated'> {
    const size = length - (from - start)
    const shown = schemas[api] !== undefined && api !== API.SASL_AUTHENTICATE
    const kept = shown ? Math.min(end - from, this.#connection.limits.body) : 0
    return {
      ...(kept > 0 ? { body: this.#connection.copy(bytes, from, from + kept) } : {}),
      ...(kept < size ? { bodySize: size } : {}),
      ...(kept < size && shown ? { truncated: true } : {}),
    }
  }

  #remember(correlation: number, asked: number): void {
    if (this.#pending.size >= MAX_PENDING) {
      const [oldest] = this.#pending.keys()
      this.#pending.delete(oldest)
    }
    this.#pending.set(correlation, asked)
  }
}

/** Topics, records and outcome, as far as the body can be read. */
function readBody(
  bytes: Uint8Array,
  start: number,
  end: number,
  api: number,
  version: number,
  kind: 'request' | 'response',
): Facts {
  const facts: Facts = {}
  const schema = schemas[api]
  if (schema === undefined || version > schema.last) return facts
  const flexible = version >= schema.flexible
  const reader = new BodyReader(bytes, start, end, version, flexible)
  try {
    // The answer to ApiVersions must be read by those who do not know the version yet: its header never grew.
    if (kind === 'request' || api !== API.API_VERSIONS) reader.tags()
    reader.structure(schema[kind])
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  if (reader.topics.length > 0) facts.topics = reader.topics
  if (reader.records > 0) facts.records = reader.records
  if (reader.error !== undefined) facts.error = reader.error
  return facts
}

/** A Produce without acknowledgement is not answered. */
function addAcks(bytes: Uint8Array, { version, end: from }: Header, end: number, facts: Facts): void {
  const reader = new BodyReader(bytes, from, end, version, version >= FLEXIBLE_PRODUCE, { build: true })
  const into: Record<string, unknown> = {}
  try {
    reader.tags()
    reader.structure(BEFORE_TIMEOUT, into)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  if (typeof into.acks === 'number') facts.acks = into.acks
}
