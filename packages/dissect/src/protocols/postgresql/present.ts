import { definedValues } from '../../content/defined-values.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { PlacedSummary } from '../../message/placed-summary.ts'
import { recordOf, textOf } from '../../sql/field-value.ts'
import { StatementSummary, SUCCEEDED, statementText } from '../../sql/statement-text.ts'
import { verbOf } from '../../sql/verb.ts'
import { readBound } from './parameters.ts'
import { readResult } from './result.ts'

type Values = Readonly<Record<string, unknown>>

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

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, path, status, failure } = summarize(exchange)
  const asked = request?.fields
  const said = response?.fields ?? (request?.kind === 'event' ? asked : undefined)
  const types = Array.isArray(asked?.types) ? asked.types.filter((type) => typeof type === 'number') : []
  const bound = readBound(request?.body, types)
  const result = response?.body === undefined ? undefined : readResult(response.body, bound.results)
  const copy = recordOf(said?.copy)
  const statement = request?.head === undefined ? undefined : statementText(request.head)
  const parameters = bound.count > 0 ? bound.values : undefined
  const columns = result !== undefined && result.columns.length > 0 ? result.columns : undefined
  const copiesIn = copy?.direction === 'in'
  const text = result === undefined || result.text === '' ? undefined : result.text
  const kept = { body: text, body_size: response?.bodySize ?? response?.body?.length }
  const halves = {
    request:
      request === undefined
        ? undefined
        : presentedMessage(request, {
            method,
            path,
            parameters,
            settings: asked?.settings,
            ...(copiesIn ? kept : {}),
          }),
    response:
      response === undefined
        ? undefined
        : presentedMessage(response, {
            status,
            rows: said?.rows,
            tag: said?.tag,
            columns,
            error: said?.error,
            ...(copiesIn ? {} : kept),
          }),
  }
  return {
    ...(halves.request === undefined ? {} : { request: halves.request }),
    ...(halves.response === undefined ? {} : { response: halves.response }),
    own: definedValues({
      command: asked?.command,
      statement,
      statement_name: asked?.name,
      unknown_statement: asked?.unknown,
      portal: asked?.portal,
      most_rows: asked?.most_rows,
      database: asked?.database,
      user: asked?.user,
      parameters,
      parameter_count: bound.count > 0 ? bound.count : undefined,
      function: asked?.function,
      version: asked?.version,
      channel: asked?.channel,
      payload: asked?.payload,
      ...facts(said),
      pid: said?.pid ?? asked?.pid,
      columns,
      success: said === undefined ? undefined : failure === undefined,
      ...sizes(request, response),
    }),
  }
}

function facts(said: Message['fields']): Values {
  return {
    rows: said?.rows,
    tag: said?.tag,
    error: said?.error,
    notices: said?.notices,
    settings: said?.settings,
    copy: said?.copy,
    suspended: said?.suspended,
    skipped: said?.skipped,
    accepted: said?.accepted,
    authentication: said?.mechanism ?? said?.authentication,
    transaction: said?.transaction,
  }
}

function sizes(request: Message | undefined, response: Message | undefined): Values {
  return {
    request_size: request?.size,
    response_size: response?.size,
    total_size: (request?.size ?? 0) + (response?.size ?? 0),
  }
}

function presentedMessage(message: Message, values: Values): PresentedMessage {
  return definedValues({ ...values, truncated: message.truncated })
}
