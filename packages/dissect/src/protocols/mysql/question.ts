import type { Message } from '../../contract/message.ts'
import type { Prepared } from '../../sql/statement-cache.ts'
import type { StatementSummary } from '../../sql/statement-text.ts'

/** A prepared statement; without a text where it was prepared before the capture. */
export interface Statement extends Prepared {
  readonly cut: boolean
  /** The server's number for it; -1 until that is known. */
  id: number
  executions: number
  /** What people see of it, once it was executed again. */
  summary: StatementSummary | undefined
  /** How many parameters it takes; -1 until that is known. */
  parameters: number
  /** The types its parameters had when it was last executed: later executions may leave them out. */
  types: readonly number[] | undefined
  /** Parameters whose values were sent ahead of the next execution. */
  ahead: readonly number[] | undefined
  /** The fields that its last execution had, and what they were made of. */
  emitted:
    | {
        readonly base: Message['fields']
        readonly types: readonly number[] | undefined
        readonly id: number
        readonly fields: NonNullable<Message['fields']>
      }
    | undefined
}

/** Something that the client asked and that the server will answer. */
export interface Question {
  readonly code: number
  /** Of the call. */
  readonly key: number
  /** Of the last packet of the question: those of the answer count on. */
  sequence: number
  readonly statement: Statement | undefined
  /** The database that will be in use if the answer is good. */
  readonly database: string | undefined
}
