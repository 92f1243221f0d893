import type { Statement } from './statement.ts'

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

/**
 * Something that the client asked and that the server will answer, in this order. They are used again for others: one that was
 * taken is what it was until the next is pushed.
 */
export class Step {
  kind: StepKind = 'lost'
  /** After these the server says that it is ready again. */
  closes = false
  /** Of the call; -1: it is none unless it fails. */
  key = -1
  statement: Statement | undefined
  /** Never 0: that would be stored as an integer, and what was compiled for it thrown away at the first time. */
  time = -0
  size = 0

  set(kind: StepKind, key: number, statement: Statement | undefined, time: number, size: number): void {
    this.kind = kind
    this.closes = kind === 'sync' || kind === 'query' || kind === 'startup' || kind === 'function'
    this.key = key
    this.statement = statement
    this.time = time
    this.size = size
  }
}
