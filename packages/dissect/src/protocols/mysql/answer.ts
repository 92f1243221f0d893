import type { Connection } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { firstResponsePart } from '../../sql/first-response-part.ts'
import { KeptRows } from '../../sql/kept-rows.ts'
import { SUCCEEDED } from '../../sql/statement-text.ts'
import { draftFields, plainFields } from './plain-answer.ts'

/** What the server has said so far to one question. Column definitions and rows are kept as they came. */
export class Answer {
  readonly start: number
  size = 0
  rows = 0
  columns = 0
  results = 0
  hasRows = false
  truncated = false
  copiedBytes = -1
  /** What an OK packet says; -1 where none has come. */
  affected = -1
  inserted = 0
  warnings = -1
  /** Whether a transaction is open; undefined if unknown. */
  transaction: boolean | undefined
  noIndex = false
  slow = false
  readonly #connection: Connection
  #begun = false
  #facts: Record<string, FieldValue> | undefined
  #rows: KeptRows | undefined

  constructor(connection: Connection, start: number) {
    this.#connection = connection
    this.start = start
  }

  /** That it has begun, if it takes long: emitted once, so that the request does not expire meanwhile. */
  begun(key: number | undefined, now: number): Message | undefined {
    if (this.#begun || key === undefined || now - this.start < this.#connection.limits.patience / 4)
      return undefined
    this.#begun = true
    return this.part(key, now)
  }

  part(key: number, end: number): Message {
    return firstResponsePart(key, this.start, end, this.#fields())
  }

  get room(): number {
    return this.#rows?.room ?? this.#connection.limits.body
  }

  append(bytes: Uint8Array, start: number, end: number, length: number): void {
    this.#rows ??= new KeptRows(this.#connection)
    this.#rows.append(bytes, start, end, length)
  }

  /** What was appended is in bytes that are about to change. */
  settle(): void {
    this.#rows?.settle()
  }

  /** Something that few answers tell. */
  fact(name: string, value: FieldValue): void {
    this.#facts ??= {}
    this.#facts[name] = value
  }

  drop(): void {
    this.#rows?.drop()
  }

  /** The answer as a message. */
  close(key: number, end: number): Message {
    const message = new PlacedMessage('response')
    message.key = key
    message.start = this.start
    message.end = end
    message.size = this.size
    message.fields = this.#fields()
    // An error is one of these.
    if (this.#facts === undefined) message.note = SUCCEEDED
    this.#rows?.moveTo(message)
    if (this.truncated) message.truncated = true
    return message
  }

  #fields(): { readonly [name: string]: FieldValue } {
    const facts = this.#facts
    if (facts === undefined && this.inserted === 0 && this.results <= 1 && this.copiedBytes < 0)
      return plainFields(this)
    const fields = draftFields(this)
    if (this.inserted !== 0) fields.last_insert_id = this.inserted
    if (facts !== undefined) for (const name in facts) fields[name] = facts[name]
    if (this.results > 1) fields.results = this.results
    if (this.copiedBytes >= 0) fields.local_bytes = this.copiedBytes
    return fields
  }
}
