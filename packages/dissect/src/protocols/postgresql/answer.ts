import type { Connection } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { firstResponsePart } from '../../sql/first-response-part.ts'
import { KeptRows } from '../../sql/kept-rows.ts'
import { SUCCEEDED } from '../../sql/statement-text.ts'
import type { ServerReport } from './server-report.ts'
import type { Tag, Transaction } from './tag.ts'

const MAX_TAGS = 32
const MAX_NOTICES = 16
const MAX_SETTINGS = 64

export type CopyDirection = 'in' | 'out' | 'both'

type Draft = {
  tag?: string
  rows?: number
  transaction?: Transaction
  error?: ServerReport
  notices?: readonly ServerReport[]
  settings?: { readonly [name: string]: string }
  copy?: { readonly direction: CopyDirection; readonly messages: number; readonly bytes: number }
  suspended?: boolean
}

/** What the server has said so far to one question. Rows, their columns and copied data are kept as they came. */
export class Answer {
  readonly start: number
  size = 0
  rows = 0
  hasRows = false
  error: ServerReport | undefined
  copy: CopyDirection | undefined
  copied = 0
  copiedBytes = 0
  suspended = false
  /** What became of the transaction, at the end of a batch. */
  transaction: Transaction | undefined
  truncated = false
  #begun = false
  readonly #connection: Connection
  #tag: Tag | undefined
  /** All of them, where a query had several statements. */
  #allTags = ''
  #tags = 0
  #notices: ServerReport[] | undefined
  #settings: Record<string, string> | undefined
  #facts: Record<string, FieldValue> | undefined
  #rows: KeptRows | undefined

  constructor(connection: Connection, start: number) {
    this.#connection = connection
    this.start = start
  }

  /** It answers something, and not only what belongs to the connection. */
  get telling(): boolean {
    return this.#tags > 0 || this.rows > 0 || this.error !== undefined || this.copy !== undefined
  }

  /**
   * That it has begun, where it takes long after what was asked at `asked`: it is emitted once, so that the request does not expire
   * while it comes.
   */
  begun(key: number, asked: number, now: number): Message | undefined {
    if (this.#begun || key < 0 || now - asked < this.#connection.limits.patience / 2) return undefined
    this.#begun = true
    return firstResponsePart(key, this.start, now, this.#fields())
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

  tag(tag: Tag): void {
    if (++this.#tags === 1) this.#tag = tag
    else if (this.#tags === 2) this.#allTags = `${this.#tag?.text}; ${tag.text}`
    else if (this.#tags <= MAX_TAGS) this.#allTags += `; ${tag.text}`
  }

  notice(report: ServerReport): void {
    this.#notices ??= []
    if (this.#notices.length < MAX_NOTICES) this.#notices.push(report)
  }

  setting(name: string, value: string): void {
    this.#settings ??= {}
    if (Object.keys(this.#settings).length < MAX_SETTINGS) this.#settings[name] = value
  }

  fact(name: string, value: FieldValue): void {
    this.#facts ??= {}
    this.#facts[name] = value
  }

  /** Drops what was kept, without emitting it. */
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
    const tag = this.#tag
    if (tag !== undefined && this.#isPlain()) {
      tag.describe(message, this.hasRows ? this.rows : -1, this.transaction)
      message.note = SUCCEEDED
    } else message.fields = this.#fields()
    this.#rows?.moveTo(message)
    if (this.truncated) message.truncated = true
    return message
  }

  /** There is nothing to emit but one tag, rows and a transaction. */
  #isPlain(): boolean {
    return (
      this.#tags === 1 &&
      this.error === undefined &&
      this.#notices === undefined &&
      this.#settings === undefined &&
      this.#facts === undefined &&
      this.copy === undefined &&
      !this.suspended
    )
  }

  #fields(): { readonly [name: string]: FieldValue } {
    const tag = this.#tag
    if (tag !== undefined && this.#isPlain())
      return tag.fields(this.hasRows ? this.rows : -1, this.transaction)
    const fields: Draft = {}
    if (tag !== undefined) fields.tag = this.#tags === 1 ? tag.text : this.#allTags
    if (this.hasRows) fields.rows = this.rows
    if (this.transaction !== undefined) fields.transaction = this.transaction
    if (this.error !== undefined) fields.error = this.error
    if (this.#notices !== undefined) fields.notices = this.#notices
    if (this.#settings !== undefined) fields.settings = this.#settings
    if (this.copy !== undefined)
      fields.copy = { direction: this.copy, messages: this.copied, bytes: this.copiedBytes }
    if (this.suspended) fields.suspended = true
    return this.#facts === undefined ? fields : { ...fields, ...this.#facts }
  }
}
