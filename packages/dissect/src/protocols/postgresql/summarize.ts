import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { PlacedSummary } from '../../message/placed-summary.ts'
import { recordOf, textOf } from '../../sql/field-value.ts'
import { StatementSummary, SUCCEEDED } from '../../sql/statement-text.ts'
import { verbOf } from '../../sql/verb.ts'

/** Of what the server says unasked, the word that people know it by. */
const EVENTS: Readonly<Record<string, string | undefined>> = { NotificationResponse: 'NOTIFY' }

export function summarize({ request, response }: Exchange): Summary {
  const succeeded = response instanceof PlacedMessage && response.note === SUCCEEDED
  if (succeeded && request instanceof PlacedMessage && request.note instanceof StatementSummary) {
    const known = request.note.succeeded
    if (known !== undefined) return known
  }
  const summary = new PlacedSummary()
  const asked = request?.fields
  const said = response?.fields ?? (request?.kind === 'event' ? asked : undefined)
  let hasStatement = false
  if (request instanceof PlacedMessage) {
    const { headIn, headAt, headEnd } = request
    if (headIn !== undefined) hasStatement = summarizeStatement(headIn, headAt, headEnd, asked, summary)
  } else if (request?.head !== undefined)
    hasStatement = summarizeStatement(request.head, 0, request.head.length, asked, summary)
  if (!hasStatement) {
    const command = (typeof said?.tag === 'string' ? verbOfTag(said.tag) : undefined) ?? asked?.command
    if (typeof command === 'string') summary.method = EVENTS[command] ?? command
    if (typeof asked?.channel === 'string') summary.setPath(asked.channel)
  }
  if (said === undefined) return summary
  if (succeeded) {
    summary.status = 'ok'
    return summary
  }
  if (response !== undefined) summary.status = 'ok'
  if (said.accepted === false) summary.status = 'refused'
  if (said.abandoned === true) summary.status = 'abandoned'
  if (said.skipped === true) {
    summary.status = 'skipped'
    summary.failure = 'skipped after an earlier failure'
  }
  const error = recordOf(said.error)
  if (error !== undefined) {
    summary.status = textOf(error.code) ?? 'error'
    summary.failure = `${textOf(error.severity) ?? 'ERROR'}: ${textOf(error.message) ?? 'unknown'}`
  }
  return summary
}

/** The statement `bytes[from, to)` is the path of its call; false where it is empty. */
function summarizeStatement(
  bytes: Uint8Array,
  from: number,
  to: number,
  asked: Message['fields'],
  summary: PlacedSummary,
): boolean {
  if (from === to) return false
  summary.method = verbOf(bytes, from, to) ?? textOf(asked?.command)
  summary.placePath(bytes, from, to)
  return true
}

/** `SELECT 5`, `INSERT 0 1`: where the statement is unknown, its tag still says what it did. */
function verbOfTag(tag: string): string | undefined {
  return /^[A-Z]+/.exec(tag)?.[0]
}
