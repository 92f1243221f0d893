import type { Connection } from '../../dissector.ts'
import { draftMessage, type FieldValue, type Message } from '../../message.ts'
import { KeptRows } from '../../sql/kept-rows.ts'

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
  readonly facts: Record<string, FieldValue> = {}
  readonly #connection: Connection
  #rows: KeptRows | undefined

  constructor(connection: Connection, start: number) {
    this.#connection = connection
    this.start = start
  }

  get room(): number {
    return this.#rows?.room ?? this.#connection.limits.body
  }

  append(bytes: Uint8Array, start: number, end: number, length: number): void {
    this.#rows ??= new KeptRows(this.#connection)
    this.#rows.append(bytes, start, end, length)
  }

  drop(): void {
    this.#rows?.drop()
  }

  /** The answer as a message. */
  close(key: number, end: number): Message {
    const { facts } = this
    if (this.hasRows) {
      facts.rows = this.rows
      facts.columns = this.columns
    }
    if (this.results > 1) facts.results = this.results
    if (this.copiedBytes >= 0) facts.local_bytes = this.copiedBytes
    const message = draftMessage('response')
    message.key = key
    message.start = this.start
    message.end = end
    message.size = this.size
    message.fields = facts
    const rows = this.#rows
    if (rows !== undefined) {
      const { size } = rows
      const kept = rows.take()
      message.body = kept
      if (size > (kept?.length ?? 0)) {
        message.bodySize = size
        message.truncated = true
      }
    }
    if (this.truncated) message.truncated = true
    return message
  }
}
