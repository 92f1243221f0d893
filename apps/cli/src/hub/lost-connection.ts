import { CommandFailed } from '../command-failed.ts'

/** Codes of errors of a connection that there was, and that the other end closed. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** No answer came: `closed` says that something is there, and that it closed the connection before it answered. */
export class LostConnection extends CommandFailed {
  readonly closed: boolean

  constructor(base: string, error: unknown) {
    const cause = causeOf(error)
    const closed = CLOSED.has(String((cause as NodeJS.ErrnoException).code))
    super(
      closed
        ? `the hub at ${base} closed the connection without an answer (${messageOf(cause)})`
        : `no hub answers at ${base} (${messageOf(cause)})`,
      {
        hint: closed
          ? 'It may be restarting: try again, or see its log.'
          : 'Start one with `tapdeck up`, or name another with --url or TAPDECK_URL.',
      },
    )
    this.closed = closed
  }
}

/** An answer that began and did not end. */
export class BrokenAnswer extends CommandFailed {
  constructor(base: string, error: unknown) {
    super(`the hub at ${base} broke off its answer (${messageOf(causeOf(error))})`)
  }
}

/** What `fetch` wraps. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || (error as NodeJS.ErrnoException).code || error.name
}
