import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { PlacedSummary } from '../../message/placed-summary.ts'
import { recordOf, textOf } from '../../sql/field-value.ts'
import { StatementSummary, SUCCEEDED } from '../../sql/statement-text.ts'
import { verbOf } from '../../sql/verb.ts'

/** Commands that run a statement, or make it ready to; the others only speak of one. */
const RUNS = new Set(['COM_QUERY', 'COM_STMT_PREPARE', 'COM_STMT_EXECUTE', 'COM_STMT_BULK_EXECUTE'])

export function summarize({ request, response }: Exchange): Summary {
  const succeeded = response instanceof PlacedMessage && response.note === SUCCEEDED
  if (succeeded && request instanceof PlacedMessage && request.note instanceof StatementSummary) {
    const known = request.note.succeeded
    if (known !== undefined) return known
  }
  const summary = new PlacedSummary()
  const asked = request?.fields
  const said = response?.fields ?? (request?.kind === 'event' ? asked : undefined)
  const command = textOf(asked?.command)
  summary.method = command
  let hasStatement = false
  if (request instanceof PlacedMessage) {
    const { headIn, headAt, headEnd } = request
    if (headIn !== undefined) hasStatement = summarizeStatement(headIn, headAt, headEnd, command, summary)
  } else if (request?.head !== undefined)
    hasStatement = summarizeStatement(request.head, 0, request.head.length, command, summary)
  if (!hasStatement && typeof asked?.argument === 'string') summary.setPath(asked.argument)
  if (response !== undefined) summary.status = 'ok'
  const error = succeeded ? undefined : recordOf(said?.error)
  if (error !== undefined) {
    summary.status = typeof error.code === 'number' ? error.code : 'error'
    summary.failure = textOf(error.message) ?? 'unknown error'
  }
  return summary
}

/** The statement `bytes[from, to)` is the path of its call; false where it is empty. */
function summarizeStatement(
  bytes: Uint8Array,
  from: number,
  to: number,
  command: string | undefined,
  summary: PlacedSummary,
): boolean {
  if (from === to) return false
  if (command !== undefined && RUNS.has(command)) summary.method = verbOf(bytes, from, to) ?? command
  summary.placePath(bytes, from, to)
  return true
}
