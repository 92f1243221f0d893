import type { FieldValue } from '../../message.ts'
import type { Prepared } from '../../sql/statement-cache.ts'

/** A statement that was parsed, or of which only the name is known because that happened before the capture. */
export interface Statement extends Prepared {
  readonly name: string
  /** Only a part of its text was kept. */
  readonly cut: boolean
  /** Types that the client gave its parameters. */
  readonly types: readonly number[] | undefined
  /** What every plain execution of it says; one object for all of them. */
  fields: { readonly [name: string]: FieldValue } | undefined
  executions: number
}

/** `lost`: bytes of the client were lost here, with who knows how many messages. */
export type StepKind =
  | 'startup'
  | 'encryption'
  | 'query'
  | 'function'
  | 'parse'
  | 'bind'
  | 'describe'
  | 'close'
  | 'execute'
  | 'sync'
  | 'lost'

/** Something that the client asked and that the server will answer, in this order. */
export interface Step {
  readonly kind: StepKind
  /** Of the call; -1: it is none unless it fails. */
  readonly key: number
  readonly statement: Statement | undefined
  readonly time: number
  readonly size: number
}

/** After these the server says that it is ready again. */
export function isCloser({ kind }: Step): boolean {
  return kind === 'sync' || kind === 'query' || kind === 'startup' || kind === 'function'
}
