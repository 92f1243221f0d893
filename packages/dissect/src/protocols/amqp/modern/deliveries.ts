import type { Connection, Frame } from '../../../contract/dissector.ts'
import type { FieldValue, Message } from '../../../contract/message.ts'
import { Body } from '../../../message/body.ts'

type Fields = { readonly [name: string]: FieldValue }

/** Messages of one side that may be under way in several frames at a time. */
const MAX_PARTIAL = 64
const RECEIVED = 0x23

interface Partial {
  readonly message: Message
  readonly key: string
  readonly body: Body
  settled: boolean
  size: number
  end: number
  cut: boolean
}

/** What one side sends: transfers in one or more frames, until the receiver says what became of them. */
export class Deliveries {
  readonly #connection: Connection
  readonly #partial = new Map<string, Partial>()
  readonly #unsettled = new Set<string>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  transfer(
    message: Message,
    fields: Fields,
    frame: Frame,
    payload: number,
    session: number,
  ): Message | undefined {
    const { bytes, start, end, length, endTime } = frame
    const link = `${session} ${fields.handle}`
    const known = this.#partial.get(link)
    const key = `transfer ${session} ${fields.delivery_id}`
    const partial = known ?? {
      ...{ message, key, body: new Body(this.#connection) },
      ...{ settled: false, size: 0, end: 0, cut: message.truncated === true },
    }
    partial.body.append(bytes, Math.min(payload, end), end, start + length - payload)
    partial.size += length
    partial.end = endTime
    if (fields.settled === true) partial.settled = true
    if (fields.aborted === true) partial.cut = true
    const goesOn = fields.more === true && fields.aborted !== true
    if (goesOn && (known !== undefined || this.#partial.size < MAX_PARTIAL)) {
      this.#partial.set(link, partial)
      return undefined
    }
    this.#partial.delete(link)
    if (goesOn) partial.cut = true
    return this.#whole(partial)
  }

  /** Keys of the transfers that a disposition speaks of. */
  settle({ first, last, state }: Fields, session: number): string[] {
    const from = typeof first === 'number' ? first : 0
    const to = typeof last === 'number' ? last : from
    if (isReceived(state)) return []
    const keys: string[] = []
    if (to - from < this.#unsettled.size)
      for (let id = from; id <= to; id++) this.#take(`transfer ${session} ${id}`, keys)
    else
      for (const key of this.#unsettled) {
        const [, at, id] = key.split(' ')
        if (Number(at) === session && Number(id) >= from && Number(id) <= to) this.#take(key, keys)
      }
    return keys
  }

  /** Keys of all of a session, or of all sessions, because nothing will refer to them any more. */
  abandoned(session: number | undefined): string[] {
    const beginning = session === undefined ? 'transfer ' : `transfer ${session} `
    const keys = [...this.#unsettled].filter((key) => key.startsWith(beginning))
    for (const key of keys) this.#unsettled.delete(key)
    return keys
  }

  cut(): Message[] {
    const cut = [...this.#partial.values()].map((partial) => this.#whole({ ...partial, cut: true }))
    this.#partial.clear()
    return cut
  }

  #take(key: string, into: string[]): void {
    if (this.#unsettled.delete(key)) into.push(key)
  }

  #whole({ message, key, body, settled, size, end, cut }: Partial): Message {
    const bodySize = body.size
    const short = cut || body.truncated
    const kept = body.take()
    if (!settled) this.#await(key)
    return {
      ...message,
      ...(settled ? {} : { kind: 'request' as const, key }),
      size,
      end,
      ...(kept === undefined ? {} : { body: kept }),
      ...(bodySize > (kept?.length ?? 0) ? { bodySize } : {}),
      ...(short ? { truncated: true } : {}),
    }
  }

  #await(key: string): void {
    if (this.#unsettled.size >= this.#connection.limits.pending)
      for (const oldest of this.#unsettled) {
        this.#unsettled.delete(oldest)
        break
      }
    this.#unsettled.add(key)
  }
}

/** Part 3 §3.4.1: how far it came, not what became of it. */
function isReceived(state: FieldValue | undefined): boolean {
  return typeof state === 'object' && state !== null && 'descriptor' in state && state.descriptor === RECEIVED
}
