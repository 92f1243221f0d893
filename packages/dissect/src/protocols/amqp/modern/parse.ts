import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Frame } from '../../../contract/dissector.ts'
import type { FieldValue, Message } from '../../../contract/message.ts'
import { AmqpCursor } from '../amqp-cursor.ts'
import { plainUser } from '../plain-user.ts'
import { Deliveries } from './deliveries.ts'
import { HEADER } from './frame.ts'
import { Links } from './links.ts'
import { type Performative, readPerformative } from './performative.ts'
import { Turns } from './turns.ts'

/** Errors whose answers are still to come. */
const MAX_REPORTED = 64

type Draft = { -readonly [K in keyof Message]: Message[K] }

/** AMQP 1.0: each performative and what the peer says to it. */
export class ModernConversation {
  readonly #connection: Connection
  readonly #links: Links
  readonly #turns: Turns
  readonly #deliveries: readonly [Deliveries, Deliveries]

  /** Keys of errors that were emitted already, whose answers are of no interest. */
  readonly #emitted = new Set<string>()

  constructor(connection: Connection) {
    this.#connection = connection
    this.#links = new Links(connection.budget)
    this.#turns = new Turns(connection.limits.pending)
    this.#deliveries = [new Deliveries(connection), new Deliveries(connection)]
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    const { bytes, start, end, length, time, endTime } = frame
    if (end - start < HEADER) return undefined
    const body = start + bytes[start + 4] * 4
    if (bytes[start + 4] < 2 || body > start + length) throw new Malformed('body outside its frame')
    if (body === start + length) return undefined
    const performative = this.#read(frame, body)
    if (performative === undefined) return undefined
    const head = this.#connection.copy(bytes, start, performative.end)
    const message: Draft = { kind: 'event', head, start: time, end: endTime, size: length }
    if (end - start < length) message.truncated = true
    const channel = (bytes[start + 6] << 8) | bytes[start + 7]
    return this.#say(performative, message, frame, side, channel)
  }

  cut(side: Side): Message[] {
    return this.#deliveries[side].cut()
  }

  #read({ bytes, start, end, length }: Frame, body: number): Performative | undefined {
    try {
      return readPerformative(new AmqpCursor(bytes, Math.min(body, end), end))
    } catch (error) {
      if (error instanceof Malformed && end - start < length) return undefined
      throw error
    }
  }

  #say(
    { name, fields, places, end }: Performative,
    message: Draft,
    frame: Frame,
    side: Side,
    channel: number,
  ): Message | readonly Message[] | undefined {
    const session = this.#links.session(side, channel)
    switch (name) {
      case 'open':
        return this.#turn(message, side, name)
      case 'close':
        return this.#end(message, fields, side, name, undefined)
      case 'begin':
        return this.#begin(message, fields, side, channel)
      case 'end':
        this.#links.end(side, channel)
        return this.#end(message, fields, side, `end ${session}`, session)
      case 'attach': {
        const link = this.#links.attach(side, channel, fields)
        if (link.address !== '') message.fields = { address: link.address }
        return this.#turn(message, side, `attach ${session} ${link.name}`)
      }
      case 'detach': {
        const link = this.#links.detach(side, channel, numberOf(fields.handle))
        if (link !== undefined && link.address !== '') message.fields = { address: link.address }
        const key = `detach ${session} ${link?.name ?? `#${fields.handle}`}`
        return fields.error === undefined ? this.#turn(message, side, key) : this.#fail(message, side, key)
      }
      case 'transfer': {
        const link = this.#links.at(side, channel, numberOf(fields.handle))
        if (link !== undefined && link.address !== '') message.fields = { address: link.address }
        return this.#deliveries[side].transfer(message, fields, frame, end, session)
      }
      case 'disposition': {
        // Role true: the receiver speaks, of what the other side sent.
        const settled = fields.role === true ? this.#deliveries[side === 0 ? 1 : 0] : undefined
        const keys = settled?.settle(fields, session) ?? []
        return keys.length === 0 ? message : keys.map((key) => ({ ...message, kind: 'response', key }))
      }
      case 'sasl-init':
        return {
          ...this.#hide(message, frame, places.initial_response, fields.mechanism === 'PLAIN'),
          kind: 'request',
          key: 'sasl',
        }
      case 'sasl-outcome':
        return { ...message, kind: 'response', key: 'sasl' }
      case 'sasl-challenge':
        return { ...message, kind: 'request', key: 'challenge' }
      case 'sasl-response':
        return { ...this.#hide(message, frame, places.response, false), kind: 'response', key: 'challenge' }
      default:
        return message
    }
  }

  #turn(message: Draft, side: Side, key: string): Message | undefined {
    const isAnswer = this.#turns.isAnswer(side, key)
    if (isAnswer && this.#emitted.delete(key)) return undefined
    message.kind = isAnswer ? 'response' : 'request'
    message.key = key
    return message
  }

  /** An error is a call of its own: many peers disconnect without answering it. */
  #fail(message: Draft, side: Side, key: string): Message | undefined {
    const turn = this.#turn(message, side, key)
    if (turn?.kind !== 'request' || this.#emitted.size >= MAX_REPORTED) return turn
    this.#emitted.add(key)
    message.kind = 'event'
    delete message.key
    return message
  }

  /** The end of a session or of the connection; with an error it is the answer to all that waits there. */
  #end(
    message: Draft,
    fields: Performative['fields'],
    side: Side,
    key: string,
    session: number | undefined,
  ): Message | readonly Message[] | undefined {
    if (fields.error === undefined) return this.#turn(message, side, key)
    const other = this.#deliveries[side === 0 ? 1 : 0]
    const beginnings =
      session === undefined
        ? ['open', 'attach ', 'detach ', 'end ']
        : [`attach ${session} `, `detach ${session} `]
    const keys = [...this.#turns.abandoned(side, beginnings), ...other.abandoned(session)]
    const answers: Message[] = keys.map((one) => ({ ...message, kind: 'response', key: one }))
    const failed = this.#fail(message, side, key)
    return failed === undefined ? answers : [...answers, failed]
  }

  /** A begin that names a channel of the peer answers the peer's. */
  #begin(message: Draft, fields: Performative['fields'], side: Side, channel: number): Message {
    const remote = fields.remote_channel
    if (typeof remote !== 'number') return { ...message, kind: 'request', key: `begin ${side} ${channel}` }
    this.#links.begin(side, channel, remote)
    return { ...message, kind: 'response', key: `begin ${side === 0 ? 1 : 0} ${remote}` }
  }

  /** Takes a secret out of the copied head; of PLAIN the user's name is kept. */
  #hide(message: Draft, { start }: Frame, place: number | undefined, plain: boolean): Message {
    const { head } = message
    if (head === undefined || place === undefined) return message
    const at = place - start
    const long = head[at] === 0xb0
    const from = at + (long ? 5 : 2)
    const to = Math.min(head.length, from + lengthAt(head, at + 1, long))
    const user = plain ? plainUser(head.subarray(from, to)) : undefined
    head.fill(0x2a, from, to)
    return user === undefined ? message : { ...message, fields: { user } }
  }
}

function lengthAt(bytes: Uint8Array, at: number, long: boolean): number {
  if (!long) return bytes[at]
  return bytes[at] * 0x1000000 + ((bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3])
}

function numberOf(value: FieldValue | undefined): number {
  return typeof value === 'number' ? value : 0
}
