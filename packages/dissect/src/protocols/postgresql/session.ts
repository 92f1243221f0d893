import type { Connection } from '../../contract/dissector.ts'
import type { FieldValue } from '../../contract/message.ts'
import type { CachedBytes } from '../../memory/cached-bytes.ts'
import type { PlacedMessage } from '../../message/placed-message.ts'
import { packedFields, shareFields } from '../../pack/shared-fields.ts'
import { StatementCache } from '../../sql/statement-cache.ts'
import { Answer } from './answer.ts'
import type { Statement } from './statement.ts'
import { Steps } from './steps.ts'

export type RequestFields = { readonly [name: string]: FieldValue }

/** What both directions of a connection share. */
export class Session {
  readonly connection: Connection
  readonly steps: Steps
  /** By name; the unnamed statement is one of them. */
  readonly statements: StatementCache<string, Statement>
  /** The server's answer that is under way. */
  answer: Answer | undefined
  /** The client has asked for encryption and will say nothing until a single byte answers. */
  encryption: 'SSLRequest' | 'GSSENCRequest' | undefined
  #database: string | undefined
  #user: string | undefined
  #keys = 0
  #fields = new Map<string, RequestFields>()
  #lastCommand = ''
  #lastFields: RequestFields | undefined
  #lastPacked: CachedBytes | undefined

  constructor(connection: Connection) {
    this.connection = connection
    this.steps = new Steps(connection.limits.pending * 8)
    this.statements = new StatementCache(connection)
  }

  nextKey(): number {
    return this.#keys++
  }

  login(user: string | undefined, database: string | undefined): void {
    this.#user = user
    // Without a name, the database is the one that is called like the user.
    this.#database = database ?? user
    this.#fields.clear()
    this.#lastFields = undefined
  }

  /** What every request of that command says; one object for all of them. */
  fields(command: string): RequestFields {
    // Mostly it is the one that was asked for last.
    if (command === this.#lastCommand && this.#lastFields !== undefined) return this.#lastFields
    let fields = this.#fields.get(command)
    if (fields === undefined) {
      fields = shareFields({
        command,
        ...(this.#database === undefined ? {} : { database: this.#database }),
        ...(this.#user === undefined ? {} : { user: this.#user }),
      })
      this.#fields.set(command, fields)
    }
    this.#lastCommand = command
    this.#lastFields = fields
    this.#lastPacked = packedFields(fields)
    return fields
  }

  /** Tells a request what every one of that command says. */
  describe(message: PlacedMessage, command: string): void {
    message.fields = this.fields(command)
    message.packed = this.#lastPacked
  }

  answering(time: number): Answer {
    this.answer ??= new Answer(this.connection, time)
    return this.answer
  }
}
