import { exitStatus } from './command.ts'

/** The command is valid but failed; the user sees the message and the hint. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly status: number
  readonly hint: string | undefined
  /** The hub's problem, for `--json`. */
  readonly problem: Readonly<Record<string, unknown>> | undefined

  constructor(
    message: string,
    more: { status?: number; hint?: string; problem?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message)
    this.status = more.status ?? exitStatus.failed
    this.hint = more.hint
    this.problem = more.problem
  }
}
