import type { Connection } from '../../contract/dissector.ts'
import type { FieldValue } from '../../contract/message.ts'
import { shareFields } from '../../pack/shared-fields.ts'
import { StatementCache } from '../../sql/statement-cache.ts'
import { Answer } from './answer.ts'
import type { Algorithm } from './compression.ts'
import type { Question, Statement } from './question.ts'

export type RequestFields = { readonly [name: string]: FieldValue }

/** Questions of a client that does not wait for its answers; MariaDB's connectors send two at once. */
const MAX_QUESTIONS = 64

/** What both directions of a connection share. */
export class Session {
  readonly connection: Connection
  /** By the server's number. */
  readonly statements: StatementCache<number, Statement>
  /** Asked and not answered yet. */
  readonly questions: Question[] = []
  /** The server's answer that is under way. */
  answer: Answer | undefined
  /** The server has greeted, the client has not logged in. */
  greeted = false
  greeting: RequestFields | undefined
  /** What the server can do; what client and server agreed on. Undefined if it was not captured. */
  offered: number | undefined
  capabilities: number | undefined
  /** The client is sending a file that the server asked for. */
  sendsFile = false
  /** Both sides compress from here on. */
  compression: Algorithm | undefined
  /** Bytes were lost: which question the next answer belongs to is uncertain. */
  unsure = false
  /** That has happened at some time: questions whose answers never came may be among those that wait. */
  shaken = false
  /** The server has finished an answer since the client last asked. */
  answered = false
  /** Prepared last: a client that does not wait for its number executes it as -1. */
  lastPrepared: Statement | undefined
  #database: string | undefined
  #user: string | undefined
  #keys = 0
  readonly #fields = new Map<string, RequestFields>()
  #lastCommand = ''
  #lastFields: RequestFields | undefined

  constructor(connection: Connection) {
    this.connection = connection
    this.statements = new StatementCache(connection)
  }

  nextKey(): number {
    return this.#keys++
  }

  has(capability: number): boolean {
    return this.capabilities !== undefined && (this.capabilities & capability) !== 0
  }

  login(user: string | undefined, database: string | undefined): void {
    this.#user = user
    this.use(database)
  }

  use(database: string | undefined): void {
    this.#database = database
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
    return fields
  }

  /** A client that asks anew has heard all answers, unless it is one that does not wait. */
  ask(question: Question): void {
    const stale = this.shaken && this.answered && this.questions.length > 0
    if (this.unsure || stale || this.questions.length >= MAX_QUESTIONS) this.forget()
    this.answered = false
    this.questions.push(question)
  }

  forget(): void {
    this.unsure = false
    this.questions.length = 0
    this.answer?.drop()
    this.answer = undefined
  }

  answering(time: number): Answer {
    this.answer ??= new Answer(this.connection, time)
    return this.answer
  }
}
